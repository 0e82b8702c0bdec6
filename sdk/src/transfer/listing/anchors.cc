#include "transfer/listing/anchors.h"

#include <algorithm>
#include <utility>

namespace gcsflux::internal::listing {
namespace {

constexpr std::size_t kMaxLevels = 12;  // deeper chains of directories give no more information

}  // namespace

std::string Anchors::TakeQuestion() {
  std::string directory = std::move(to_ask_.back());
  to_ask_.pop_back();
  ++unanswered_;
  return directory;
}

void Anchors::OnAnswer(const std::string& directory, bool is_complete, std::vector<std::string> directories) {
  --unanswered_;
  if (!is_complete) {
    is_over_ = true;
    to_ask_.clear();
    return;
  }
  answers_[directory] = std::move(directories);
  if (!is_over_ && unanswered_ == 0 && to_ask_.empty()) FinishLevel();
}

void Anchors::FinishLevel() {
  std::vector<std::string> below;
  for (auto& [directory, inside] : answers_) below.insert(below.end(), inside.begin(), inside.end());
  answers_.clear();
  std::sort(below.begin(), below.end());
  // A directory without subdirectories stays. One with subdirectories is replaced by them.
  std::erase_if(all_, [&](const std::string& anchor) {
    const auto inside = std::lower_bound(below.begin(), below.end(), anchor);
    return inside != below.end() && inside->starts_with(anchor);
  });
  all_.insert(all_.end(), below.begin(), below.end());
  std::sort(all_.begin(), all_.end());
  if (++levels_ < kMaxLevels && below.size() <= max_concurrency_) to_ask_ = std::move(below);
}

Anchors::Span Anchors::Inside(std::string_view lo, std::string_view hi) const {
  const auto first = std::upper_bound(all_.begin(), all_.end(), lo);
  const auto last = hi.empty() ? all_.end() : std::lower_bound(first, all_.end(), hi);
  return {static_cast<std::size_t>(first - all_.begin()), static_cast<std::size_t>(last - all_.begin())};
}

}  // namespace gcsflux::internal::listing
