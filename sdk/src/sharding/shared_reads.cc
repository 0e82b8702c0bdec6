#include "sharding/shared_reads.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/message.h"

namespace gcsflux::internal {
namespace {

// Shorter stretches that only one rank wants lie between those of others. Separate reads would cost more.
constexpr std::uint64_t kLeastAlone = 1U << 20;

// Sorted, and without overlaps.
std::vector<FileStretch> Union(std::vector<FileStretch> stretches) {
  std::sort(stretches.begin(), stretches.end());
  std::vector<FileStretch> joined;
  for (const FileStretch& one : stretches) {
    if (one.size() == 0) continue;
    if (!joined.empty() && joined.back().file == one.file && one.begin <= joined.back().end)
      joined.back().end = std::max(joined.back().end, one.end);
    else
      joined.push_back(one);
  }
  return joined;
}

/// The change of the number of ranks that want the bytes from a place on.
using Changes = std::map<std::pair<std::size_t, std::uint64_t>, int>;

}  // namespace

template <SameAs<FileStretch> Self>
auto FieldsOf(Self& stretch) {
  return std::tie(stretch.file, stretch.begin, stretch.end);
}

std::string FormatFileStretches(const std::vector<FileStretch>& stretches) {
  return MessageWriter().Put(stretches).Take();
}

std::optional<std::vector<FileStretch>> ParseFileStretches(std::string_view bytes) {
  MessageReader reader(bytes);
  std::vector<FileStretch> stretches;
  reader.Take(stretches);
  const auto is_broken = [](const FileStretch& one) { return one.begin > one.end; };
  if (!reader.AtEnd() || std::ranges::any_of(stretches, is_broken)) return std::nullopt;
  return stretches;
}

SharedReads::SharedReads(const std::vector<std::vector<FileStretch>>& of_ranks) {
  Changes changes;
  for (const auto& of_rank : of_ranks) {
    for (const FileStretch& one : Union(of_rank)) {
      ++changes[{one.file, one.begin}];
      --changes[{one.file, one.end}];
    }
  }
  int wanting = 0;
  std::uint64_t length = 0;
  for (auto at = changes.begin(); at != changes.end(); ++at) {
    wanting += at->second;
    if (wanting == 0) continue;  // No rank wants what follows, or the file has ended.
    const auto [file, begin] = at->first;
    const FileStretch stretch{file, begin, std::next(at)->first.second};
    if (wanting == 1 && stretch.size() >= kLeastAlone) continue;
    const bool goes_on =
        !runs_.empty() && runs_.back().stretch.file == file && runs_.back().stretch.end == stretch.begin;
    if (goes_on)
      runs_.back().stretch.end = stretch.end;
    else
      runs_.push_back({stretch, length});
    length += stretch.size();
  }
  const std::uint64_t ranks = of_ranks.size();
  // In this order, nothing overflows.
  for (std::uint64_t i = 0; i <= ranks; ++i) cuts_.push_back(length / ranks * i + length % ranks * i / ranks);
}

std::vector<SharedReads::Chunk> SharedReads::ChunksOf(const FileStretch& wanted) const {
  std::vector<Chunk> chunks;
  FileStretch left = wanted;
  auto run = std::partition_point(runs_.begin(), runs_.end(), [&](const Run& one) {
    return std::pair(one.stretch.file, one.stretch.end) <= std::pair(left.file, left.begin);
  });
  while (left.size() > 0) {
    const bool has_run = run != runs_.end() && run->stretch.file == left.file && run->stretch.begin < left.end;
    if (!has_run || run->stretch.begin > left.begin) {
      const std::uint64_t end = has_run ? run->stretch.begin : left.end;
      chunks.push_back({.stretch = {left.file, left.begin, end}});
      left.begin = end;
      continue;
    }
    const std::uint64_t on_line = run->place + (left.begin - run->stretch.begin);
    const auto cut = std::upper_bound(cuts_.begin(), cuts_.end(), on_line);
    const std::uint64_t length = std::min({left.end, run->stretch.end, left.begin + (*cut - on_line)}) - left.begin;
    const auto reader = static_cast<std::size_t>(cut - cuts_.begin()) - 1;
    chunks.push_back(
        {.stretch = {left.file, left.begin, left.begin + length}, .reader = reader, .place = on_line - cuts_[reader]});
    left.begin += length;
    if (left.begin == run->stretch.end) ++run;
  }
  return chunks;
}

std::vector<FileStretch> SharedReads::ReadBy(std::size_t rank) const {
  std::vector<FileStretch> stretches;
  for (const Run& run : runs_) {
    const std::uint64_t begin = std::max(run.place, cuts_[rank]);
    const std::uint64_t end = std::min(run.place + run.stretch.size(), cuts_[rank + 1]);
    if (begin >= end) continue;
    const std::uint64_t first = run.stretch.begin + (begin - run.place);
    stretches.push_back({run.stretch.file, first, first + (end - begin)});
  }
  return stretches;
}

}  // namespace gcsflux::internal
