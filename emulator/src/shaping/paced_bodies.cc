#include "shaping/paced_bodies.h"

#include <algorithm>
#include <utility>

namespace gcsflux::emulator {

bool PacedResponse::Write(std::span<const std::byte> bytes, const ResponseSink& next) {
  if (bytes.empty()) return next(bytes);  // only the head, before a fault
  while (!bytes.empty()) {
    const StreamPacer::Slice slice = pacer_.Take(clock_.Now(), bytes.size());
    if (!clock_.WaitUntil(slice.at, stop_) || !next(bytes.first(slice.bytes))) return false;
    bytes = bytes.subspan(slice.bytes);
  }
  return true;
}

PacedRequest::PacedRequest(RequestBody& body, LiveShaping& shaping, const std::string& bucket, const Clock& clock,
                           std::stop_token stop, Clock::Time& read_at)
    : body_(body),
      pacer_(shaping, Direction::kWrite, bucket),
      clock_(clock),
      stop_(std::move(stop)),
      read_at_(read_at) {
  body_.LimitUnderWay(shaping.SliceBytes(Direction::kWrite));
}

std::optional<std::size_t> PacedRequest::Read(std::span<std::byte> into) {
  if (allowed_ == 0) {
    const StreamPacer::Slice slice = pacer_.Take(clock_.Now(), into.size());
    if (!clock_.WaitUntil(slice.at, stop_)) return std::nullopt;
    allowed_ = slice.bytes;
  }
  const std::optional<std::size_t> read = body_.Read(into.first(std::min(into.size(), allowed_)));
  read_at_ = clock_.Now();
  allowed_ -= read.value_or(0);
  return read;
}

}  // namespace gcsflux::emulator
