#include "faults/tools/upload_filter.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "bodies/multipart.h"
#include "bodies/receive_body.h"

namespace gcsflux::emulator {
namespace {

std::uint64_t MediaSize(const HttpRequest& request, const Rope& body) {
  const std::string* type = request.headers.Find("content-type");
  const auto parts = ParseMultipartRelated(type != nullptr ? *type : std::string(), body);
  return parts ? parts->media.size() : 0;
}

}  // namespace

bool IsSessionChunk(const RequestPreview& preview) {
  return preview.subject.phase == "chunk" || preview.subject.phase == "final";
}

bool CarriesObjectBytes(const RequestPreview& preview) {
  const RequestSubject& subject = preview.subject;
  if (subject.phase == "part" || IsSessionChunk(preview)) return true;
  return subject.operation == "storage.objects.insert" && subject.phase.empty();
}

UploadFilter::UploadFilter(RequestBody& body, const RequestContext& context)
    : body_(body),
      first_(IsSessionChunk(context.preview) ? context.preview.range_start.value_or(0) : 0),
      media_begin_(context.preview.media_offset) {
  if (media_begin_ == 0) return;
  ReceivedBody received = ReceiveBody(body_);
  media_end_ = media_begin_ + MediaSize(context.request, received.bytes);
  buffered_ = std::move(received.bytes);
  is_broken_ = !received.is_whole;
}

std::optional<std::size_t> UploadFilter::Read(std::span<std::byte> into) {
  const std::optional<std::size_t> read = ReadOn(into);
  if (!read || *read == 0) return read;
  const std::uint64_t begin = std::exchange(at_, at_ + *read);
  const std::uint64_t from = std::max(begin, media_begin_);
  const std::uint64_t to = std::min(at_, media_end_);
  if (from >= to) return read;
  const std::span<std::byte> media =
      into.subspan(static_cast<std::size_t>(from - begin), static_cast<std::size_t>(to - from));
  if (OnBytes(media, first_ + (from - media_begin_))) return read;
  is_broken_ = true;
  buffered_ = Rope();
  at_ = 0;
  return std::nullopt;
}

std::optional<std::size_t> UploadFilter::ReadOn(std::span<std::byte> into) {
  if (!buffered_) return is_broken_ ? std::nullopt : body_.Read(into);
  const std::uint64_t size = std::min<std::uint64_t>(into.size(), buffered_->size() - at_);
  if (size == 0) return is_broken_ ? std::nullopt : std::optional<std::size_t>(0);
  std::byte* out = into.data();
  buffered_->ForEachSpan(at_, size, [&](std::span<const std::byte> run) {
    std::memcpy(out, run.data(), run.size());
    out += run.size();
    return true;
  });
  return static_cast<std::size_t>(size);
}

}  // namespace gcsflux::emulator
