#include "api/signature_v2.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <string_view>
#include <vector>

#include "base/letter_case.h"
#include "http/target.h"
#include "http/trim.h"
#include "http/which_api.h"

namespace gcsflux::emulator {
namespace {

// The parameters that are signed: sub-resources, and what changes the answer.
constexpr auto kSigned = std::to_array<std::string_view>({"acl",
                                                          "billing",
                                                          "compose",
                                                          "cors",
                                                          "defaultObjectAcl",
                                                          "delete",
                                                          "encryptionConfig",
                                                          "generation",
                                                          "lifecycle",
                                                          "location",
                                                          "logging",
                                                          "partNumber",
                                                          "policy",
                                                          "response-cache-control",
                                                          "response-content-disposition",
                                                          "response-content-encoding",
                                                          "response-content-language",
                                                          "response-content-type",
                                                          "response-expires",
                                                          "storageClass",
                                                          "tagging",
                                                          "uploadId",
                                                          "uploads",
                                                          "versionId",
                                                          "versioning",
                                                          "versions",
                                                          "website",
                                                          "websiteConfig"});

std::string HeaderText(const HttpRequest& request, std::string_view name) {
  return request.headers.FindAll(name).value_or("");
}

// "x-goog-acl:private\n" for each, in the order of the names.
std::string ExtensionHeaders(const HttpRequest& request, std::string_view prefix) {
  std::map<std::string, std::string> headers;
  for (const auto& [name, value] : request.headers.fields()) {
    const std::string key = LowerCase(name);
    if (!key.starts_with(prefix) || key == "x-goog-encryption-key" || key == "x-goog-encryption-key-sha256") continue;
    std::string& joined = headers[key];
    joined += (joined.empty() ? "" : ",") + std::string(Trim(value));
  }
  std::string text;
  for (const auto& [name, value] : headers) text += name + ":" + value + "\n";
  return text;
}

// "/bucket/object?acl"
std::string Resource(const HttpRequest& request, const QueryParameters& query) {
  const std::string bucket = BucketOfHost(request);
  std::string text = (bucket.empty() ? "" : "/" + bucket) + request.target.substr(0, request.target.find('?'));
  std::vector<std::string> parameters;
  for (const auto& [name, value] : query.all()) {
    if (std::find(kSigned.begin(), kSigned.end(), name) == kSigned.end()) continue;
    parameters.push_back(name + (value.empty() ? "" : "=" + value));
  }
  std::sort(parameters.begin(), parameters.end());
  for (std::size_t i = 0; i < parameters.size(); ++i) text += (i == 0 ? "?" : "&") + parameters[i];
  return text;
}

std::string SignedText(const HttpRequest& request, const QueryParameters& query, std::string_view prefix,
                       const std::string& time) {
  return request.method + "\n" + HeaderText(request, "content-md5") + "\n" + HeaderText(request, "content-type") +
         "\n" + time + "\n" + ExtensionHeaders(request, prefix) + Resource(request, query);
}

std::optional<SignatureV2> ReadHeader(const HttpRequest& request, const QueryParameters& query) {
  const std::string authorization = HeaderText(request, "authorization");
  const bool is_aws = authorization.starts_with("AWS ");
  if (!is_aws && !authorization.starts_with("GOOG1 ")) return std::nullopt;
  const std::size_t begin = authorization.find(' ') + 1;
  const std::size_t colon = authorization.find(':', begin);
  if (colon == std::string::npos) return std::nullopt;
  const std::string prefix = is_aws ? "x-amz-" : "x-goog-";
  const std::string own_time = HeaderText(request, prefix + "date");  // it is among the extension headers
  const std::string time = HeaderText(request, "date");
  return SignatureV2{.key = authorization.substr(begin, colon - begin),
                     .signature = authorization.substr(colon + 1),
                     .text = SignedText(request, query, prefix, own_time.empty() ? time : ""),
                     .time = own_time.empty() ? time : own_time};
}

std::optional<SignatureV2> ReadUrl(const HttpRequest& request, const QueryParameters& query) {
  const bool is_aws = query.Find("AWSAccessKeyId") != nullptr;
  const std::string key = query.Value(is_aws ? "AWSAccessKeyId" : "GoogleAccessId");
  const std::string expires = query.Value("Expires");
  if (key.empty() || query.Value("Signature").empty()) return std::nullopt;
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(expires.data(), expires.data() + expires.size(), seconds);
  if (error != std::errc() || end != expires.data() + expires.size()) seconds = 0;  // long ago
  return SignatureV2{.key = key,
                     .signature = query.Value("Signature"),
                     .text = SignedText(request, query, is_aws ? "x-amz-" : "x-goog-", expires),
                     .expires = seconds};
}

}  // namespace

std::optional<SignatureV2> ReadSignatureV2(const HttpRequest& request) {
  const ApiResult<Target> target = ParseTarget(request.target);
  if (!target) return std::nullopt;
  std::optional<SignatureV2> signature = ReadHeader(request, target->query);
  return signature ? signature : ReadUrl(request, target->query);
}

}  // namespace gcsflux::emulator
