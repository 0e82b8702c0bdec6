#include "xml_api/amz_headers.h"

#include <string>
#include <string_view>

#include "base/letter_case.h"

namespace gcsflux::emulator {
namespace {

constexpr std::string_view kAmz = "x-amz-";
constexpr std::string_view kGoog = "x-goog-";

bool IsAmz(std::string_view name) { return IsInAnyCase(name.substr(0, kAmz.size()), kAmz); }

// s3cmd sends back all headers that it has received, of both names, beside those that it sets itself.
bool HasAmzTwin(const HttpHeaders& headers, const std::string& name) {
  std::string twin = LowerCase(name);
  if (!twin.starts_with(kGoog)) return false;
  return headers.Find(twin.replace(0, kGoog.size(), kAmz)) != nullptr;
}

}  // namespace

std::optional<HttpRequest> WithGoogHeaders(const HttpRequest& request) {
  const auto& fields = request.headers.fields();
  if (std::none_of(fields.begin(), fields.end(), [](const auto& field) { return IsAmz(field.first); })) {
    return std::nullopt;
  }
  HttpRequest renamed = request;
  renamed.headers = {};
  for (const auto& [name, value] : fields) {
    if (IsAmz(name)) {
      renamed.headers.Add(std::string(kGoog) + name.substr(kAmz.size()), value);
    } else if (!HasAmzTwin(request.headers, name)) {
      renamed.headers.Add(name, value);
    }
  }
  return renamed;
}

bool IsSignedForS3(const HttpRequest& request) {
  const std::string* authorization = request.headers.Find("authorization");
  return authorization != nullptr && (authorization->starts_with("AWS ") || authorization->starts_with("AWS4-"));
}

void AddAmzMetadata(HttpHeaders& headers) {
  const HttpHeaders given = headers;
  for (const auto& [name, value] : given.fields()) {
    if (name.starts_with("x-goog-meta-")) headers.Add(std::string(kAmz) + name.substr(kGoog.size()), value);
  }
}

bool IsAwsChunked(const HttpHeaders& headers) {
  const std::string* hash = headers.Find("x-goog-content-sha256");
  const std::string* encoding = headers.Find("content-encoding");
  return (hash != nullptr && hash->starts_with("STREAMING-")) ||
         (encoding != nullptr && encoding->find("aws-chunked") != std::string::npos);
}

}  // namespace gcsflux::emulator
