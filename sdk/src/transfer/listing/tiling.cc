#include "transfer/listing/tiling.h"

#include <algorithm>
#include <utility>

namespace gcsflux::internal::listing {

Tiling::Tiling(std::string lo, std::string hi, const std::vector<std::string>& cuts) {
  if (!IsBefore(lo, hi)) return;
  open_.push_back({.lo = std::move(lo), .hi = std::move(hi)});
  std::vector<Range*> made;
  std::vector<std::string> sorted = cuts;
  std::sort(sorted.begin(), sorted.end());
  Split(open_.begin(), sorted, made);
}

void Tiling::Split(std::list<Range>::iterator range, const std::vector<std::string>& cuts, std::vector<Range*>& made) {
  for (const std::string& cut : cuts) {
    if (cut <= range->lo || !IsBefore(cut, range->hi)) continue;
    const auto right = open_.insert(std::next(range), {.lo = cut, .hi = std::exchange(range->hi, cut)});
    made.push_back(&*right);
    range = right;
  }
}

std::vector<Taken> Tiling::Absorb(std::string_view begin, const std::string& end,
                                  std::span<const std::string_view> names, const std::optional<Evidence>& evidence) {
  std::vector<Taken> runs;
  const auto index_of = [&](std::string_view key) {
    return static_cast<std::size_t>(std::lower_bound(names.begin(), names.end(), key) - names.begin());
  };
  for (auto range = open_.begin(); range != open_.end() && IsBefore(range->lo, end);) {
    if (range->lo < begin) {
      ++range;
      continue;
    }
    const std::string& upto = EarlierEnd(range->hi, end);
    const Taken run{index_of(range->lo), upto.empty() ? names.size() : index_of(upto)};
    if (run.begin < run.end) runs.push_back(run);
    if (upto == range->hi) {
      range = open_.erase(range);
      continue;
    }
    range->lo = upto;
    range->next.reset();
    if (evidence) range->evidence = evidence;
    ++range;
  }
  return runs;
}

}  // namespace gcsflux::internal::listing
