#include "transfer/download/direct_fetch.h"

#include <cstring>
#include <functional>
#include <utility>

#include "transfer/download/stripes.h"

namespace gcsflux::internal {
UnitPlan PlanDirect(const DownloadSource& source, std::size_t index, std::uint64_t stripe_bytes) {
  return {.first = index, .count = 1, .pieces = StripeCount(source.size, stripe_bytes)};
}

Result<std::uint32_t> DirectFetch::Read(const std::optional<Extent>& range, const std::stop_token& stop) {
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

Result<void> DirectFetch::FetchPiece(std::size_t piece, const std::stop_token& stop) {
  const bool is_whole = stripes_ == 1;
  const Extent stripe = StripeAt(source_.size, stripes_, piece);
  const auto crc32c = Read(is_whole ? std::nullopt : std::optional(stripe), stop);
  if (!crc32c) return crc32c.error();
  if (is_whole) return object_.CheckWhole(*crc32c);
  const MutexLock lock(mutex_);
  checksums_.Add(stripe, *crc32c);
  return {};
}

UnitOutcome DirectFetch::Finish(const std::stop_token&) {
  if (stripes_ == 1) return {};  // FetchPiece has compared it.
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
