#include "transfer/download/direct_fetch.h"

#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <utility>

#include "base/crc32c.h"
#include "client/object_read.h"
#include "transfer/download/stripes.h"

namespace gcsflux::internal {
namespace {

constexpr std::uint64_t kAnySize = std::numeric_limits<std::uint64_t>::max();

std::string OperationOf(const DownloadSource& source) { return "objects.get " + ToUri(source.object) + ": "; }

Error OtherSize(const DownloadSource& source, const std::string& what) {
  return Error{ErrorCode::kCorrupted, OperationOf(source) + what + " of an object that was listed with " +
                                          std::to_string(source.size) + "; list it again"};
}

Result<void> CheckSource(const DownloadSource& source) {
  if (source.generation > 0) return {};
  return Error{ErrorCode::kInvalidArgument,
               OperationOf(source) + "a source without a generation; take it from a listing or from GetObject"};
}

ReadObjectOptions OptionsOf(const DirectReads& reads, const DownloadSource& source, const std::stop_token& stop) {
  return {.generation = source.generation,
          .encryption_key = reads.options.encryption_key,
          .call = reads.options.call,
          .stop = stop};
}

// Reads into a part of the destination, never beyond it, whatever the object's size is.
Result<ReadSummary> Read(const DirectReads& reads, const DownloadSource& source, Destination& destination,
                         const Stripe& part, const ReadObjectOptions& options) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  Clock::time_point first_byte = start;
  std::uint64_t written = 0;
  const auto copy = [&](std::span<const std::byte> bytes) -> Result<void> {
    if (bytes.size() > part.length - written) return OtherSize(source, "more bytes came");
    if (first_byte == start) first_byte = Clock::now();
    const auto place = destination.Open();
    if (!place) return place.error();
    std::memcpy(place->data() + part.offset + written, bytes.data(), bytes.size());
    written += bytes.size();
    return {};
  };
  const ByteSink sink = std::ref(copy);
  auto read = ReadInto(CoreOf(reads.client), source.object, options,
                       {.sink = sink,
                        .capacity = kAnySize,
                        .rewind = [&] { written = 0; },
                        .is_verified_by_caller = source.crc32c.has_value(),
                        .is_copy = true});
  if (!read || !reads.on_read) return read;
  const auto end = Clock::now();
  const auto until_first = (first_byte == start ? end : first_byte) - start;
  reads.on_read({.first_byte = until_first, .total = end - start, .bytes = read->bytes});
  return read;
}

}  // namespace

UnitPlan PlanDirect(const DownloadSource& source, std::size_t index, std::uint64_t stripe_bytes) {
  return {.first = index, .count = 1, .pieces = StripeCount(source.size, stripe_bytes)};
}

Result<void> ReadWhole(const DirectReads& reads, const DownloadSource& source, Destination& destination,
                       const std::stop_token& stop) {
  if (auto checked = CheckSource(source); !checked) return checked;
  const auto read = Read(reads, source, destination, {0, source.size}, OptionsOf(reads, source, stop));
  if (!read) return read.error();
  if (read->bytes != source.size) return OtherSize(source, std::to_string(read->bytes) + " bytes came");
  if (source.crc32c && *source.crc32c != read->crc32c)
    return WrongChecksum(OperationOf(source), read->crc32c, *source.crc32c);
  return {};
}

Result<void> DirectFetch::FetchPiece(std::size_t piece, const std::stop_token& stop) {
  return crc32cs_.empty() ? ReadWhole(reads_, source_, destination_, stop) : FetchStripe(piece, stop);
}

Result<void> DirectFetch::FetchStripe(std::size_t index, const std::stop_token& stop) {
  if (auto checked = CheckSource(source_); !checked) return checked;
  const Stripe stripe = StripeAt(source_.size, crc32cs_.size(), index);
  ReadObjectOptions options = OptionsOf(reads_, source_, stop);
  options.range = ByteRange{stripe.offset, stripe.length};
  const auto read = Read(reads_, source_, destination_, stripe, options);
  if (!read && read.error().code == ErrorCode::kOutOfRange) {
    return OtherSize(source_, "no byte " + std::to_string(stripe.offset));
  }
  if (!read) return read.error();
  if (read->object_size != source_.size) {
    return OtherSize(source_, std::to_string(read->object_size) + " bytes are stored");
  }
  crc32cs_[index] = read->crc32c;
  return reported_.Note(source_.object, read->object_crc32c);
}

UnitOutcome DirectFetch::Finish(const std::stop_token&) {
  if (crc32cs_.empty()) return {};  // ReadWhole has compared it.
  const auto checked = reported_.CheckWhole(CoreOf(reads_.client), source_.object, source_.crc32c, CombinedCrc32c());
  if (checked) return {};
  if (checked.error().code == ErrorCode::kCorrupted && !std::exchange(is_repeated_, true)) {
    return {.is_to_be_repeated = true};
  }
  return {.errors = {checked.error()}};
}

std::uint32_t DirectFetch::CombinedCrc32c() const {
  std::uint32_t combined = 0;
  for (std::size_t i = 0; i < crc32cs_.size(); ++i) {
    combined = CombineCrc32c(combined, crc32cs_[i], StripeAt(source_.size, crc32cs_.size(), i).length);
  }
  return combined;
}

}  // namespace gcsflux::internal
