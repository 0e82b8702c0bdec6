#include "xml_api/xml_router.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "http/which_api.h"

namespace gcsflux::emulator {
namespace {

// Subresources of GCS that the emulator does not have. A request for one must not be taken for a request for the
// resource itself.
constexpr std::array<std::string_view, 17> kNotImplemented = {
    "acl",          "billing",          "compose",   "cors",     "customPlacementConfig", "defaultObjectAcl",
    "encryption",   "encryptionConfig", "lifecycle", "logging",  "object-lock",           "retention",
    "storageClass", "tagging",          "upload_id", "versions", "websiteConfig"};

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

XmlResult<XmlRoute> FindXmlRoute(const HttpRequest& request, const Target& target) {
  XmlRoute route{.bucket = BucketOfHost(request)};
  route.is_virtual_host_style = !route.bucket.empty();
  if (!route.is_virtual_host_style && !target.segments.empty()) route.bucket = target.segments[0];
  route.object = JoinFrom(target.segments, route.is_virtual_host_style ? 0 : 1);
  for (const std::string_view name : kNotImplemented) {
    if (target.query.Find(name) != nullptr) return XmlFail(XmlErrorCode::kNotImplemented, std::string(name));
  }
  const std::string_view subresource = FindSubresource(target.query);
  // Otherwise a part would become the whole object.
  if (subresource.empty() && target.query.Find("partNumber") != nullptr) {
    return XmlFail(XmlErrorCode::kInvalidArgument, "partNumber needs an uploadId.");
  }
  for (const XmlOperation& operation : XmlOperations()) {
    const std::string_view path = PathOf(operation).substr(0, PathOf(operation).find('?'));
    if (MethodOf(operation) != request.method || path != PatternOf(route)) continue;
    if (SubresourceOf(operation) != subresource) continue;
    route.operation = &operation;
    return route;
  }
  return XmlFail(XmlErrorCode::kMethodNotAllowed);
}

}  // namespace gcsflux::emulator
