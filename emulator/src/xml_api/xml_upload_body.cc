#include "xml_api/xml_upload_body.h"

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "api/upload_hashes.h"
#include "bodies/receive_body.h"
#include "xml_api/amz_headers.h"

namespace gcsflux::emulator {
namespace {

// 10,000 parts take about 1.5 MB.
constexpr std::size_t kMaxXml = std::size_t{4} << 20;

tl::unexpected<XmlError> BrokenOff(const XmlCall& call) {
  return XmlFail(call.body.is_overdue() ? XmlErrorCode::kRequestTimeout : XmlErrorCode::kIncompleteBody);
}

}  // namespace

XmlResult<BodyPtr> ReceiveCheckedBody(const XmlCall& call) {
  if (IsAwsChunked(call.request.headers)) return XmlFail(XmlErrorCode::kNotImplemented, "aws-chunked");
  const XmlResult<ExpectedHashes> hashes = ReadExpectedHashes(call);
  if (!hashes) return tl::unexpected(hashes.error());
  BodyPtr body = ReceiveObject(call.body, true);  // every answer to an upload has the MD5, as entity tag or hash
  if (body == nullptr) return BrokenOff(call);
  const auto checked = CheckHashes(*hashes, *body);
  if (!checked) return XmlFail(XmlErrorCode::kBadDigest, checked.error().message);
  return body;
}

XmlResult<std::string> ReceiveXml(const XmlCall& call) {
  std::string text;
  std::array<char, 16384> buffer;
  while (const std::optional<std::size_t> read = call.body.Read(std::as_writable_bytes(std::span(buffer)))) {
    if (*read == 0) return text;
    if (text.size() + *read > kMaxXml) return XmlFail(XmlErrorCode::kEntityTooLarge);
    text.append(buffer.data(), *read);
  }
  return BrokenOff(call);
}

}  // namespace gcsflux::emulator
