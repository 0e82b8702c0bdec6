#include "bodies/fingerprinted_body.h"

#include <algorithm>

#include "http/content_type.h"
#include "store/bytes/crc32c.h"

namespace gcsflux::emulator {
namespace {

BodyFingerprint Extended(BodyFingerprint print, std::string_view bytes) {
  return {.size = print.size + bytes.size(), .crc32c = ExtendCrc32c(print.crc32c, std::as_bytes(std::span(bytes)))};
}

std::string BoundaryOf(const HttpRequest& request) {
  const std::string* type = request.headers.Find("content-type");
  return type != nullptr ? TypeParameter(*type, "boundary").value_or("") : "";
}

}  // namespace

FingerprintedBody::FingerprintedBody(RequestBody& body, const HttpRequest& request)
    : body_(body),
      is_needed_(request.headers.Find("x-goog-gcs-idempotency-token") != nullptr),
      boundary_(BoundaryOf(request)) {}

BodyFingerprint FingerprintedBody::fingerprint() const { return Extended(fingerprint_, undecided_); }

std::optional<std::size_t> FingerprintedBody::Read(std::span<std::byte> into) {
  const std::optional<std::size_t> read = body_.Read(into);
  if (read && is_needed_) Add({reinterpret_cast<const char*>(into.data()), *read});
  return read;
}

void FingerprintedBody::Add(std::string_view bytes) {
  if (boundary_.empty()) {
    fingerprint_ = Extended(fingerprint_, bytes);
    return;
  }
  undecided_ += bytes;
  std::string_view left = undecided_;
  for (std::size_t at = left.find(boundary_); at != std::string_view::npos; at = left.find(boundary_)) {
    fingerprint_ = Extended(fingerprint_, left.substr(0, at));
    left.remove_prefix(at + boundary_.size());
  }
  const std::size_t kept = std::min(left.size(), boundary_.size() - 1);
  fingerprint_ = Extended(fingerprint_, left.substr(0, left.size() - kept));
  undecided_ = std::string(left.substr(left.size() - kept));
}

}  // namespace gcsflux::emulator
