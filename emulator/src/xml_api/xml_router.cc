#include "xml_api/xml_router.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "http/which_api.h"

namespace gcsflux::emulator {
namespace {

enum class Scope { kService, kBucket, kObject };

struct Entry {
  std::string_view method;
  Scope scope;
  std::string_view subresource;  // the query parameter that asks for another thing than the resource itself
  XmlOperation operation;
};

constexpr std::array kRoutes = {
    Entry{"GET", Scope::kService, "", XmlOperation::kListBuckets},
    Entry{"PUT", Scope::kBucket, "", XmlOperation::kCreateBucket},
    Entry{"HEAD", Scope::kBucket, "", XmlOperation::kHeadBucket},
    Entry{"DELETE", Scope::kBucket, "", XmlOperation::kDeleteBucket},
    Entry{"GET", Scope::kBucket, "location", XmlOperation::kGetBucketLocation},
    Entry{"GET", Scope::kBucket, "versioning", XmlOperation::kGetBucketVersioning},
    Entry{"PUT", Scope::kBucket, "versioning", XmlOperation::kSetBucketVersioning},
    Entry{"GET", Scope::kBucket, "", XmlOperation::kListObjects},
    Entry{"POST", Scope::kBucket, "delete", XmlOperation::kDeleteObjects},
    Entry{"GET", Scope::kBucket, "uploads", XmlOperation::kListUploads},
    Entry{"GET", Scope::kObject, "", XmlOperation::kGetObject},
    Entry{"HEAD", Scope::kObject, "", XmlOperation::kGetObject},
    Entry{"PUT", Scope::kObject, "", XmlOperation::kPutObject},
    Entry{"DELETE", Scope::kObject, "", XmlOperation::kDeleteObject},
    Entry{"POST", Scope::kObject, "uploads", XmlOperation::kInitiateUpload},
    Entry{"PUT", Scope::kObject, "uploadId", XmlOperation::kPutPart},
    Entry{"GET", Scope::kObject, "uploadId", XmlOperation::kListParts},
    Entry{"POST", Scope::kObject, "uploadId", XmlOperation::kCompleteUpload},
    Entry{"DELETE", Scope::kObject, "uploadId", XmlOperation::kAbortUpload},
};

// Subresources that GCS has and the emulator has not: to take one for the resource itself would do something else.
constexpr std::array<std::string_view, 17> kNotImplemented = {
    "acl",          "billing",          "compose",   "cors",     "customPlacementConfig", "defaultObjectAcl",
    "encryption",   "encryptionConfig", "lifecycle", "logging",  "object-lock",           "retention",
    "storageClass", "tagging",          "upload_id", "versions", "websiteConfig"};

constexpr std::array<std::string_view, 5> kImplemented = {"uploadId", "uploads", "location", "versioning", "delete"};

std::string JoinFrom(const std::vector<std::string>& segments, std::size_t first) {
  std::string joined;
  for (std::size_t i = first; i < segments.size(); ++i) joined += (i == first ? "" : "/") + segments[i];
  return joined;
}

std::string_view FindSubresource(const QueryParameters& query) {
  for (const std::string_view name : kImplemented) {
    if (query.Find(name) != nullptr) return name;
  }
  return {};
}

}  // namespace

XmlResult<XmlRoute> FindXmlRoute(const HttpRequest& request, const Target& target) {
  XmlRoute route{.bucket = BucketOfHost(request)};
  route.is_virtual_host_style = !route.bucket.empty();
  if (!route.is_virtual_host_style && !target.segments.empty()) route.bucket = target.segments[0];
  route.object = JoinFrom(target.segments, route.is_virtual_host_style ? 0 : 1);
  const Scope scope = !route.object.empty() ? Scope::kObject : !route.bucket.empty() ? Scope::kBucket : Scope::kService;
  for (const std::string_view name : kNotImplemented) {
    if (target.query.Find(name) != nullptr) return XmlFail(XmlErrorCode::kNotImplemented, std::string(name));
  }
  const std::string_view subresource = FindSubresource(target.query);
  // Or a part would become the whole object.
  if (subresource.empty() && target.query.Find("partNumber") != nullptr) {
    return XmlFail(XmlErrorCode::kInvalidArgument, "partNumber needs an uploadId.");
  }
  for (const Entry& entry : kRoutes) {
    if (entry.method != request.method || entry.scope != scope || entry.subresource != subresource) continue;
    route.operation = entry.operation;
    return route;
  }
  return XmlFail(XmlErrorCode::kMethodNotAllowed);
}

}  // namespace gcsflux::emulator
