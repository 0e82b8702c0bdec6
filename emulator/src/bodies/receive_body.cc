#include "bodies/receive_body.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "bodies/md5_follower.h"
#include "store/bytes/crc32c.h"

namespace gcsflux::emulator {
namespace {

// The part of `bytes`, which begin at `offset`, that is in the range.
std::span<const std::byte> Within(const HashedRange& range, std::uint64_t offset, std::span<const std::byte> bytes) {
  const std::uint64_t end = std::clamp(range.end, offset, offset + bytes.size());
  const std::uint64_t begin = std::clamp(range.begin, offset, end);
  return bytes.subspan(static_cast<std::size_t>(begin - offset), static_cast<std::size_t>(end - begin));
}

}  // namespace

ReceivedBody ReceiveBody(RequestBody& body, Md5Stream* md5, const HashedRange& hashed) {
  ReceivedBody received{.is_whole = true};
  RopeBuilder builder(body.announced_size());
  std::optional<Md5Follower> follower;  // destroyed before the builder, whose bytes it reads
  if (md5 != nullptr) follower.emplace(*md5);
  // Asking for room takes memory, so if the length is known, the end is asked for first.
  while (builder.size() != body.announced_size()) {
    const std::span<std::byte> buffer = builder.Buffer();
    const std::optional<std::size_t> read = body.Read(buffer);
    received.is_whole = read.has_value();
    if (!read || *read == 0) break;
    const std::span<const std::byte> bytes = buffer.first(*read);
    if (follower) follower->Append(Within(hashed, builder.size(), bytes));
    builder.Commit(*read);
    received.crc32c = ExtendCrc32c(received.crc32c, bytes);  // while they are in the processor's cache
  }
  if (follower) follower->Finish();
  received.bytes = builder.Build();
  return received;
}

BodyPtr ReceiveObject(RequestBody& body, bool needs_md5) {
  std::optional<Md5Stream> md5;
  if (needs_md5) md5.emplace();
  ReceivedBody received = ReceiveBody(body, md5 ? &*md5 : nullptr);
  if (!received.is_whole) return nullptr;
  const auto digest = md5 ? std::optional(md5->Digest()) : std::nullopt;
  return std::make_shared<const Body>(std::move(received.bytes), received.crc32c, digest);
}

ApiError BrokenOff(const RequestBody& body) {
  return body.is_overdue() ? RequestTimedOut() : BadRequest("The request's body is malformed or broke off.");
}

ApiResult<std::string> ReceiveText(RequestBody& body, std::uint64_t max_size) {
  std::string text;
  std::string buffer(std::size_t{16} << 10, '\0');
  while (text.size() <= max_size) {
    const std::optional<std::size_t> read = body.Read(std::as_writable_bytes(std::span(buffer)));
    if (!read) return tl::unexpected(BrokenOff(body));
    if (*read == 0) return text;
    text.append(buffer, 0, *read);
  }
  return tl::unexpected(BadRequest("The request's body is larger than any such request."));
}

}  // namespace gcsflux::emulator
