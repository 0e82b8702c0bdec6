#include "transfer/read/pinned_object.h"

#include <limits>

#include "client/object_read.h"

namespace gcsflux::internal {
namespace {

std::string OperationOf(const DownloadSource& source) {
  const std::string part =
      source.offset ? " [" + std::to_string(*source.offset) + ", " + std::to_string(*source.offset + source.size) + ")"
                    : "";
  return "objects.get " + ToUri(source.object) + part + ": ";
}

}  // namespace

Result<RangeAnswer> PinnedObject::ReadWhole(const RangeTarget& target, const std::stop_token& stop) {
  if (!source_.offset) return Read(std::nullopt, {0, source_.size}, target, stop);
  if (source_.size == 0) return RangeAnswer{};  // No request can ask for no byte.
  return ReadRange({0, source_.size}, target, stop);
}

Result<RangeAnswer> PinnedObject::ReadRange(const Range& range, const RangeTarget& target,
                                            const std::stop_token& stop) {
  return Read(ByteRange{source_.offset.value_or(0) + range.offset, range.length}, range, target, stop);
}

Result<RangeAnswer> PinnedObject::Read(const std::optional<ByteRange>& asked, const Range& expected,
                                       const RangeTarget& target, const std::stop_token& stop) {
  using Clock = std::chrono::steady_clock;
  if (source_.generation <= 0) {
    return Error{ErrorCode::kInvalidArgument,
                 OperationOf(source_) + "a source without a generation; take it from a listing or from GetObject"};
  }
  const auto start = Clock::now();
  Clock::time_point first_byte = start;
  std::uint64_t position = expected.offset;
  const auto put = [&](std::span<const std::byte> bytes) -> Result<void> {
    if (bytes.size() > expected.end() - position) return OtherSize("more bytes came");
    if (first_byte == start) first_byte = Clock::now();
    auto taken = target.sink(position, bytes);
    position += bytes.size();
    return taken;
  };
  const ByteSink sink = std::ref(put);
  const auto read =
      ReadInto(CoreOf(client_), source_.object,
               {.range = asked,
                .generation = source_.generation,
                .encryption_key = encryption_key_,
                .call = call_,
                .stop = stop},
               {.sink = sink,
                .capacity = std::numeric_limits<std::uint64_t>::max(),
                .rewind = target.may_repeat ? std::function<void()>([&] { position = expected.offset; }) : nullptr,
                .is_verified_by_caller = true,
                .is_copy = target.is_copy,
                .sums_itself = target.sums_itself});
  if (!read && asked && read.error().code == ErrorCode::kOutOfRange) {
    return OtherSize("no byte " + std::to_string(asked->offset));
  }
  if (!read) return read.error();
  if ((!source_.offset && read->object_size != source_.size) || read->bytes != expected.length) {
    return OtherSize(std::to_string(read->object_size) + " bytes are stored");
  }
  if (!source_.offset) {
    if (auto noted = reported_.Note(source_.object, read->object_crc32c); !noted) return noted.error();
  }
  const auto end = Clock::now();
  const auto until_first = (first_byte == start ? end : first_byte) - start;
  return RangeAnswer{read->crc32c, {.first_byte = until_first, .total = end - start, .bytes = read->bytes}};
}

Error PinnedObject::OtherSize(const std::string& what) const {
  return Error{ErrorCode::kCorrupted, OperationOf(source_) + what + " of an object that was listed with " +
                                          std::to_string(source_.size) + "; list it again"};
}

Result<void> PinnedObject::CheckWhole(std::uint32_t crc32c) const {
  return reported_.CheckWhole(CoreOf(client_), source_.object, source_.crc32c, crc32c);
}

Result<void> PinnedObject::CompareWithAnswers(std::uint32_t crc32c) const {
  if (!reported_.value()) return {};
  return reported_.CheckWhole(CoreOf(client_), source_.object, std::nullopt, crc32c);
}

}  // namespace gcsflux::internal
