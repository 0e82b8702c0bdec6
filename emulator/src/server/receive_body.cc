#include "server/receive_body.h"

#include <optional>

namespace gcsflux::emulator {
namespace {

constexpr std::uint64_t kMaxText = std::uint64_t{4} << 20;

}  // namespace

ReceivedBody ReceiveBody(RequestBody& body) {
  RopeBuilder builder(body.announced_size());
  while (true) {
    // Asking for room takes memory, so the end is asked for first where it is known.
    if (builder.size() == body.announced_size()) return {builder.Build(), true};
    const std::optional<std::size_t> read = body.Read(builder.Room());
    if (!read || *read == 0) return {builder.Build(), read.has_value()};
    builder.Commit(*read);
  }
}

ApiError BrokenOff(const RequestBody& body) {
  return body.is_overdue() ? RequestTimedOut() : BadRequest("The request's body is malformed or broke off.");
}

ApiResult<Rope> ReceiveWholeBody(RequestBody& body) {
  ReceivedBody received = ReceiveBody(body);
  if (!received.is_whole) return tl::unexpected(BrokenOff(body));
  return std::move(received.bytes);
}

ApiResult<std::string> ReceiveText(RequestBody& body) {
  std::string text;
  std::string room(std::size_t{16} << 10, '\0');
  while (text.size() <= kMaxText) {
    const std::optional<std::size_t> read = body.Read(std::as_writable_bytes(std::span(room)));
    if (!read) return tl::unexpected(BrokenOff(body));
    if (*read == 0) return text;
    text.append(room, 0, *read);
  }
  return tl::unexpected(BadRequest("The request's body is larger than any JSON request."));
}

}  // namespace gcsflux::emulator
