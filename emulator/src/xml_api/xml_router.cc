#include "xml_api/xml_router.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "http/which_api.h"

namespace gcsflux::emulator {
namespace {

// Parameters of any request: the signature, who pays, and the name of the call that some of S3's clients add.
constexpr std::string_view kOfAnyRequest =
    "userProject x-id GoogleAccessId AWSAccessKeyId Expires Signature X-Goog-Algorithm X-Goog-Credential X-Goog-Date "
    "X-Goog-Expires X-Goog-SignedHeaders X-Goog-Signature X-Amz-Algorithm X-Amz-Credential X-Amz-Date X-Amz-Expires "
    "X-Amz-SignedHeaders X-Amz-Signature X-Amz-Security-Token X-Amz-Content-Sha256 X-Amz-User-Agent "
    "x-amz-checksum-mode";

// `words` are separated by blanks.
bool HasWord(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const std::string_view first = words.substr(0, words.find(' '));
    if (first == word) return true;
    words.remove_prefix(std::min(first.size() + 1, words.size()));
  }
  return false;
}

std::string JoinFrom(const std::vector<std::string>& segments, std::size_t first) {
  std::string joined;
  for (std::size_t i = first; i < segments.size(); ++i) joined += (i == first ? "" : "/") + segments[i];
  return joined;
}

// The part of a row's request after "?", or "".
std::string_view SubresourceOf(const XmlOperation& operation) {
  const std::size_t mark = operation.request.find('?');
  return mark != std::string_view::npos ? operation.request.substr(mark + 1) : std::string_view();
}

bool IsKnown(const XmlOperation& operation, std::string_view parameter) {
  return parameter == SubresourceOf(operation) || HasWord(operation.parameters, parameter) ||
         HasWord(kOfAnyRequest, parameter);
}

std::string_view FindSubresource(const QueryParameters& query) {
  for (const XmlOperation& operation : XmlOperations()) {
    const std::string_view name = SubresourceOf(operation);
    if (!name.empty() && query.Find(name) != nullptr) return name;
  }
  return {};
}

std::string_view PatternOf(const XmlRoute& route) {
  if (!route.object.empty()) return "{bucket}/{object}";
  return route.bucket.empty() ? "" : "{bucket}";
}

}  // namespace

RequestSubject SubjectOf(const XmlRoute& route) {
  return {.operation = route.operation->name,
          .phase = route.operation->phase,
          .bucket = route.bucket,
          .object = route.object};
}

XmlRoute FindXmlPlace(const HttpRequest& request, const Target& target) {
  XmlRoute route{.bucket = BucketOfHost(request)};
  route.is_virtual_host_style = !route.bucket.empty();
  if (!route.is_virtual_host_style && !target.segments.empty()) route.bucket = target.segments[0];
  route.object = JoinFrom(target.segments, route.is_virtual_host_style ? 0 : 1);
  return route;
}

XmlResult<XmlRoute> FindXmlRoute(const HttpRequest& request, const Target& target) {
  XmlRoute route = FindXmlPlace(request, target);
  const std::string_view subresource = FindSubresource(target.query);
  // Otherwise a part would become the whole object.
  if (subresource.empty() && target.query.Find("partNumber") != nullptr) {
    return XmlFail(XmlErrorCode::kInvalidArgument, "partNumber needs an uploadId.");
  }
  const std::span<const XmlOperation> operations = XmlOperations();
  const auto has_path = [&](const XmlOperation& operation) {
    return PathOf(operation).substr(0, PathOf(operation).find('?')) == PatternOf(route);
  };
  const auto found = std::find_if(operations.begin(), operations.end(), [&](const XmlOperation& operation) {
    return MethodOf(operation) == request.method && has_path(operation) && SubresourceOf(operation) == subresource;
  });
  const bool is_found = found != operations.end();
  for (const auto& [name, value] : target.query.all()) {
    const bool is_known = is_found ? IsKnown(*found, name)
                                   : std::any_of(operations.begin(), operations.end(), [&](const XmlOperation& any) {
                                       return has_path(any) && IsKnown(any, name);
                                     });
    if (!is_known) return XmlFail(XmlErrorCode::kNotImplemented, name);
  }
  if (!is_found) return XmlFail(XmlErrorCode::kMethodNotAllowed);
  route.operation = &*found;
  return route;
}

}  // namespace gcsflux::emulator
