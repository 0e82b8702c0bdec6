#include "transfer/download/direct_fetch.h"

#include <cstring>
#include <functional>
#include <utility>

#include "transfer/download/even_ranges.h"

namespace gcsflux::internal {
GroupPlan PlanDirect(const DownloadSource& source, std::size_t index, std::uint64_t range_bytes) {
  return {.first = index, .count = 1, .ranges = RangeCount(source.size, range_bytes)};
}

DirectFetch::DirectFetch(const DirectReads& reads, const DownloadSource& source, Destination& destination,
                         std::size_t ranges)
    : reads_(reads),
      source_(source),
      destination_(destination),
      ranges_(ranges),
      object_(reads.client, source, reads.options.encryption_key, reads.options.call) {}

Result<std::uint32_t> DirectFetch::Read(const std::optional<Range>& range, const std::stop_token& stop) {
  const auto copy = [&](std::uint64_t offset, std::span<const std::byte> bytes) -> Result<void> {
    const auto place = destination_.Open();
    if (!place) return place.error();
    std::memcpy(place->data() + offset, bytes.data(), bytes.size());
    return {};
  };
  const RangeSink sink = std::ref(copy);
  const RangeTarget target{.sink = sink, .may_repeat = true, .is_copy = true};
  const auto read = range ? object_.ReadRange(*range, target, stop) : object_.ReadWhole(target, stop);
  if (!read) return read.error();
  if (reads_.on_read) reads_.on_read(read->times);
  return read->crc32c;
}

Result<void> DirectFetch::FetchRange(std::size_t index, const std::stop_token& stop) {
  if (source_.offset && source_.size == 0) return {};  // No request can ask for no byte.
  const bool is_whole = ranges_ == 1 && !source_.offset;
  const Range range = RangeAt(source_.size, ranges_, index);
  const auto crc32c = Read(is_whole ? std::nullopt : std::optional(range), stop);
  if (!crc32c) return crc32c.error();
  if (is_whole) return object_.CheckWhole(*crc32c);
  const MutexLock lock(mutex_);
  checksums_.Add(range, *crc32c);
  return {};
}

GroupOutcome DirectFetch::Finish(const std::stop_token&) {
  if (ranges_ == 1 && !source_.offset) return {};  // FetchRange has compared it.
  const MutexLock lock(mutex_);
  const auto checked = object_.CheckWhole(checksums_.Whole(source_.size).value_or(0));
  if (checked) return {};
  if (checked.error().code == ErrorCode::kCorrupted && !std::exchange(is_repeated_, true)) {
    checksums_ = {};
    return {.is_to_be_repeated = true};
  }
  return {.errors = {checked.error()}};
}

}  // namespace gcsflux::internal
