#include "transfer/composition/composed_fetch.h"

#include <algorithm>
#include <utility>

namespace gcsflux::internal {

Result<void> ComposedFetch::FetchRange(std::size_t, const std::stop_token& stop) {
  const std::string& bucket = sources_.front().object.bucket;
  const auto permitted = composer_.permits().Await(bucket, stop);
  if (!permitted) return permitted.error();
  if (!*permitted) {
    composer_.CountDirect(sources_.size());
    return FetchDirectly(stop);
  }
  auto fetched = composer_.Fetch(sources_, destinations_, stop);
  if (fetched) return {};
  if (stop.stop_requested()) return fetched;
  const bool has_memory = std::none_of(destinations_.begin(), destinations_.end(),
                                       [](const Destination& destination) { return destination.has_no_memory; });
  if (has_memory) composer_.permits().NoteFailure(bucket, fetched.error());
  composer_.CountFallback(sources_.size(), fetched.error());
  return FetchDirectly(stop);
}

Result<void> ComposedFetch::FetchDirectly(const std::stop_token& stop) {
  std::vector<std::optional<Error>> errors(sources_.size());
  bool has_failed = false;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    auto read = DirectFetch(reads_, sources_[i], destinations_[i], 1).FetchRange(0, stop);
    if (read) continue;
    // One failure fails the whole download: the other objects need not be read.
    if (stop.stop_requested() || !reads_.options.delivers_failures) return read;
    errors[i] = read.error();
    has_failed = true;
  }
  if (has_failed) errors_ = std::move(errors);
  return {};
}

}  // namespace gcsflux::internal
