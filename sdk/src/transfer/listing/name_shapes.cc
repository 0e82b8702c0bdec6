#include "transfer/listing/name_shapes.h"

#include <algorithm>

#include "transfer/listing/code_points.h"

namespace gcsflux::internal::listing {
namespace {

// Names learned of a page: alphabets are small, and every page waits for this. Fewer if the last page brought no new
// information.
constexpr std::size_t kSamples = 64;
constexpr std::size_t kSamplesOfKnown = 8;
// most directories that are remembered; only those with pages in flight matter
constexpr std::size_t kDirectories = 128;

// Returns whether the sample had no new information.
bool LearnSample(Alphabets& alphabets, std::span<const std::string_view> names, bool is_known) {
  const std::size_t samples = std::min(names.size(), is_known ? kSamplesOfKnown : kSamples);
  bool is_news = false;
  std::string_view previous;
  for (std::size_t i = 0; i < samples; ++i) {
    const std::string_view name = names[samples == 1 ? 0 : i * (names.size() - 1) / (samples - 1)];
    is_news |= alphabets.Learn(name, previous);
    previous = name;
  }
  return !is_news;
}

}  // namespace

void NameShapes::Learn(std::span<const std::string_view> names) {
  if (names.empty()) return;
  ++pages_;
  all_.is_known = LearnSample(all_.alphabets, names, all_.is_known);
  const std::string_view directory = DirectoryOf(names.front());
  if (directory.empty() || DirectoryOf(names.back()) != directory) return;
  Shape& shape = directories_[std::string(directory)];
  shape.learned_at = pages_;
  shape.is_known = LearnSample(shape.alphabets, names, shape.is_known);
  if (directories_.size() > kDirectories) ForgetOldest();
}

void NameShapes::ForgetOldest() {
  directories_.erase(std::min_element(directories_.begin(), directories_.end(), [](const auto& a, const auto& b) {
    return a.second.learned_at < b.second.learned_at;
  }));
}

const Alphabets& NameShapes::Of(std::string_view directory) const {
  while (!directory.empty()) {
    const auto found = directories_.find(directory);
    if (found != directories_.end()) return found->second.alphabets;
    directory.remove_suffix(1);
    directory = DirectoryOf(directory);
  }
  return all_.alphabets;
}

}  // namespace gcsflux::internal::listing
