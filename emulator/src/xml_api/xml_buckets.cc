#include "xml_api/xml_buckets.h"

#include <limits>
#include <string>
#include <utility>

#include "api/access_control_list.h"
#include "base/time_format.h"
#include "http/xml_writer.h"
#include "store/objects/storage_class.h"
#include "xml_api/xml_objects.h"
#include "xml_api/xml_requests.h"
#include "xml_api/xml_upload_body.h"

namespace gcsflux::emulator {

XmlResult<HttpResponse> XmlBuckets::List(const XmlCall& call) const {
  // The XML API shows all buckets in one page.
  const BucketPage page = store_.ListBuckets({.max_results = std::numeric_limits<std::size_t>::max()});
  call.subject.listed_items = page.buckets.size();
  XmlWriter xml;
  xml.Begin("ListAllMyBucketsResult", kListingXmlns);
  xml.Begin("Owner");
  xml.Element("ID", "emulator");
  xml.End("Owner");
  xml.Begin("Buckets");
  for (const BucketInfo& bucket : page.buckets) {
    xml.Begin("Bucket");
    xml.Element("Name", bucket.name);
    xml.Element("CreationDate", FormatRfc3339(bucket.time_created));
    xml.End("Bucket");
  }
  xml.End("Buckets");
  xml.End("ListAllMyBucketsResult");
  return XmlResponse(std::move(xml));
}

XmlResult<HttpResponse> XmlBuckets::Create(const XmlCall& call) const {
  if (auto refused = RefusePreconditions(call, "A new bucket"); !refused) return tl::unexpected(refused.error());
  const XmlResult<std::string> body = ReceiveXml(call);
  if (!body) return tl::unexpected(body.error());
  BucketInfo info{.name = call.route.bucket};
  if (!body->empty()) {
    XmlResult<BucketConfiguration> configuration = ParseBucketConfiguration(*body);
    if (!configuration) return tl::unexpected(configuration.error());
    if (!configuration->location.empty()) info.location = std::move(configuration->location);
    if (!configuration->storage_class.empty()) info.storage_class = std::move(configuration->storage_class);
  }
  if (const std::string predefined = PredefinedAclName(call); !predefined.empty()) {
    const ApiResult<AccessControlList> acl = PredefinedAcl(predefined, AclKind::kBucket, "");
    if (!acl) return tl::unexpected(ToXmlError(acl.error()));
    info.settings["acl"] = EncodeAcl(*acl);
  }
  if (!IsStorageClass(info.storage_class)) return XmlFail(XmlErrorCode::kInvalidStorageClass, info.storage_class);
  const auto inserted = store_.InsertBucket(std::move(info));
  if (inserted) return HttpResponse();
  switch (inserted.error().kind) {
    case FailureKind::kInvalid: return XmlFail(XmlErrorCode::kInvalidBucketName, inserted.error().message);
    case FailureKind::kConflict: return XmlFail(XmlErrorCode::kBucketAlreadyOwnedByYou);
    default: return tl::unexpected(ToXmlError(inserted.error(), XmlErrorCode::kNoSuchBucket));
  }
}

XmlResult<HttpResponse> XmlBuckets::Head(const XmlCall& call) const {
  const auto bucket = FindXmlBucket(store_, call);
  if (!bucket) return tl::unexpected(bucket.error());
  HttpResponse response;
  response.headers.Add("Content-Type", "application/xml; charset=UTF-8");
  return response;
}

XmlResult<HttpResponse> XmlBuckets::GetLocation(const XmlCall& call) const {
  const auto bucket = FindXmlBucket(store_, call);
  if (!bucket) return tl::unexpected(bucket.error());
  XmlWriter xml;
  xml.Begin("LocationConstraint", kListingXmlns);
  xml.Text((*bucket)->info()->location);
  xml.End("LocationConstraint");
  return XmlResponse(std::move(xml));
}

XmlResult<HttpResponse> XmlBuckets::GetVersioning(const XmlCall& call) const {
  const auto bucket = FindXmlBucket(store_, call);
  if (!bucket) return tl::unexpected(bucket.error());
  XmlWriter xml;
  xml.Begin("VersioningConfiguration", kListingXmlns);
  if ((*bucket)->info()->is_versioned) xml.Element("Status", "Enabled");
  xml.End("VersioningConfiguration");
  return XmlResponse(std::move(xml));
}

XmlResult<HttpResponse> XmlBuckets::SetVersioning(const XmlCall& call) const {
  const auto bucket = FindXmlBucket(store_, call);
  if (!bucket) return tl::unexpected(bucket.error());
  const XmlResult<std::string> body = ReceiveXml(call);
  if (!body) return tl::unexpected(body.error());
  const XmlResult<bool> is_enabled = ParseVersioningConfiguration(*body);
  if (!is_enabled) return tl::unexpected(is_enabled.error());
  const XmlResult<Preconditions> preconditions = ReadBucketPreconditions(call);
  if (!preconditions) return tl::unexpected(preconditions.error());
  const auto changed = (*bucket)->ChangeInfo(*preconditions, [&](BucketInfo& info) -> Outcome<void> {
    if (*is_enabled && HasHierarchicalNamespace(info)) {
      return Fail(FailureKind::kInvalid, "Object versioning is not supported with a hierarchical namespace.");
    }
    SwitchVersioning(info, *is_enabled);
    return {};
  });
  if (!changed) return tl::unexpected(ToXmlError(changed.error(), XmlErrorCode::kNoSuchBucket));
  return HttpResponse();
}

XmlResult<HttpResponse> XmlBuckets::Delete(const XmlCall& call) const {
  const XmlResult<Preconditions> preconditions = ReadBucketPreconditions(call);
  if (!preconditions) return tl::unexpected(preconditions.error());
  const Outcome<void> deleted = store_.DeleteBucket(call.route.bucket, *preconditions);
  if (deleted) return HttpResponse{.status = 204};
  if (deleted.error().kind == FailureKind::kConflict) return XmlFail(XmlErrorCode::kBucketNotEmpty);
  return tl::unexpected(ToXmlError(deleted.error(), XmlErrorCode::kNoSuchBucket));
}

}  // namespace gcsflux::emulator
