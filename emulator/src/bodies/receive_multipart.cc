#include "bodies/receive_multipart.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "bodies/multipart.h"
#include "bodies/peeked_body.h"
#include "bodies/receive_body.h"

namespace gcsflux::emulator {
namespace {

constexpr std::uint64_t kWorthFollowing = std::uint64_t{1} << 20;
constexpr std::size_t kMostHeads = std::size_t{16} << 10;  // mostly a few hundred bytes

// The range of the body that is certainly media, before the end of the body is seen. Nothing if that is unknown or
// small.
std::optional<HashedRange> SureMedia(PeekedBody& body, const std::string& content_type) {
  const std::uint64_t size = body.announced_size().value_or(0);
  if (size < kWorthFollowing) return std::nullopt;
  const std::optional<MultipartStart> start = FindMedia(content_type, Rope(body.Peek(kMostHeads)));
  // The delimiter after the media is shorter than this header.
  const std::uint64_t end = size - std::min<std::uint64_t>(content_type.size() + 16, size);
  return start && start->media_begin < end ? std::optional(HashedRange{start->media_begin, end}) : std::nullopt;
}

// The MD5 of all media, given the `md5` of its beginning.
std::optional<Md5Digest> Complete(std::optional<Md5Stream> md5, const HashedRange& hashed,
                                  const MultipartRelated& parts) {
  // If an epilogue follows, it may be in what was hashed.
  const std::uint64_t size = parts.media.size();
  if (!md5 || hashed.begin != parts.media_begin || md5->size() > size) return std::nullopt;
  parts.media.ForEachSpan(md5->size(), size - md5->size(), [&md5](std::span<const std::byte> span) {
    md5->Append(span);
    return true;
  });
  return md5->Digest();
}

}  // namespace

ApiResult<ReceivedMultipart> ReceiveMultipart(RequestBody& body, const std::string& content_type, bool needs_md5) {
  PeekedBody peeked(body);
  const std::optional<HashedRange> hashed = needs_md5 ? SureMedia(peeked, content_type) : std::nullopt;
  std::optional<Md5Stream> md5;
  if (hashed) md5.emplace();
  const ReceivedBody received = ReceiveBody(peeked, md5 ? &*md5 : nullptr, hashed.value_or(HashedRange()));
  if (!received.is_whole) return tl::unexpected(BrokenOff(body));
  ApiResult<MultipartRelated> parts = ParseMultipartRelated(content_type, received.bytes);
  if (!parts) return tl::unexpected(parts.error());
  const auto digest = hashed && !parts->is_decoded ? Complete(std::move(md5), *hashed, *parts) : std::nullopt;
  Rope media = parts->media.Compact();
  const std::uint32_t crc32c = Body(media).crc32c();
  return ReceivedMultipart{std::move(parts->metadata), std::move(parts->media_content_type),
                           std::make_shared<const Body>(std::move(media), crc32c, digest)};
}

}  // namespace gcsflux::emulator
