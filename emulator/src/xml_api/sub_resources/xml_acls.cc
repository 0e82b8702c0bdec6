#include "xml_api/sub_resources/xml_acls.h"

#include <string>
#include <utility>

#include "api/access_control_list.h"
#include "http/xml_writer.h"
#include "xml_api/amz_headers.h"
#include "xml_api/sub_resources/acl_forms.h"
#include "xml_api/xml_objects.h"
#include "xml_api/xml_upload_body.h"

namespace gcsflux::emulator {
namespace {

constexpr auto kProject = "project-owners-0";  // owns all buckets

AclKind KindOf(const XmlCall& call) {
  if (!call.route.object.empty()) return AclKind::kObject;
  return call.route.operation->request.ends_with("defaultObjectAcl") ? AclKind::kDefaultObject : AclKind::kBucket;
}

XmlResult<ObjectSelector> Select(const XmlCall& call) {
  const auto generation = ReadGeneration(call.query);
  if (!generation) return tl::unexpected(generation.error());
  const XmlResult<Preconditions> preconditions = ReadPreconditions(call);
  if (!preconditions) return tl::unexpected(preconditions.error());
  return ObjectSelector{call.route.object, *generation, *preconditions};
}

XmlResult<std::shared_ptr<Bucket>> FindBucket(const Store& store, const XmlCall& call) {
  auto bucket = FindXmlBucket(store, call);
  if (!bucket) return bucket;
  if (auto usable = CheckMayUseAcls(*(*bucket)->info()); !usable) return tl::unexpected(ToXmlError(usable.error()));
  return bucket;
}

// The list of the request: of its header, or of its body.
XmlResult<AccessControlList> ReadGivenAcl(const XmlCall& call, AclKind kind, const std::string& owner) {
  const XmlResult<std::string> text = ReceiveXml(call);
  if (!text) return tl::unexpected(text.error());
  const std::string predefined = PredefinedAclName(call);
  if (!predefined.empty() && !text->empty()) {
    return XmlFail(XmlErrorCode::kInvalidArgument, "An access control list is given twice.");
  }
  if (predefined.empty()) return ReadAcl(*text, kind);
  ApiResult<AccessControlList> acl = PredefinedAcl(predefined, kind, owner);
  if (!acl) return tl::unexpected(ToXmlError(acl.error()));
  return *std::move(acl);
}

XmlResult<HttpResponse> PutObjectAcl(const XmlCall& call, Bucket& bucket) {
  const XmlResult<ObjectSelector> selector = Select(call);
  if (!selector) return tl::unexpected(selector.error());
  const Outcome<ObjectPtr> object = bucket.GetObject(*selector);
  if (!object) return tl::unexpected(ToObjectError(call, object.error()));
  const auto acl = ReadGivenAcl(call, AclKind::kObject, OwnerOf(*(*object)->attributes));
  if (!acl) return tl::unexpected(acl.error());
  if (auto may = CheckPublicAccess(*bucket.info(), *acl); !may) return tl::unexpected(ToXmlError(may.error()));
  const auto changed = bucket.PatchObject(
      *selector, [&](ObjectAttributes& attributes) { attributes.settings["acl"] = EncodeAcl(*acl); });
  if (!changed) return tl::unexpected(ToObjectError(call, changed.error()));
  return HttpResponse();
}

}  // namespace

XmlResult<HttpResponse> GetXmlAcl(const Store& store, const XmlCall& call) {
  const auto bucket = FindBucket(store, call);
  if (!bucket) return tl::unexpected(bucket.error());
  const AclKind kind = KindOf(call);
  std::string owner = kProject;
  AccessControlList acl;
  if (kind == AclKind::kObject) {
    const XmlResult<ObjectSelector> selector = Select(call);
    if (!selector) return tl::unexpected(selector.error());
    const Outcome<ObjectPtr> object = (*bucket)->GetObject(*selector);
    if (!object) return tl::unexpected(ToObjectError(call, object.error()));
    owner = OwnerOf(*(*object)->attributes);
    acl = ObjectAcl(*(*object)->attributes);
  } else {
    acl = BucketAcl(*(*bucket)->info(), kind);
  }
  XmlWriter xml;
  WriteAcl(xml, IsSignedForS3(call.request) ? AclForm::kS3 : AclForm::kGoogle, owner, acl);
  return XmlResponse(std::move(xml));
}

XmlResult<HttpResponse> PutXmlAcl(const Store& store, const XmlCall& call) {
  const auto bucket = FindBucket(store, call);
  if (!bucket) return tl::unexpected(bucket.error());
  const AclKind kind = KindOf(call);
  if (kind == AclKind::kObject) return PutObjectAcl(call, **bucket);
  const XmlResult<Preconditions> preconditions = ReadBucketPreconditions(call);
  if (!preconditions) return tl::unexpected(preconditions.error());
  const auto acl = ReadGivenAcl(call, kind, kProject);
  if (!acl) return tl::unexpected(acl.error());
  if (auto may = CheckPublicAccess(*(*bucket)->info(), *acl); !may) return tl::unexpected(ToXmlError(may.error()));
  const auto changed = (*bucket)->ChangeInfo(*preconditions, [&](BucketInfo& info) -> Outcome<void> {
    info.settings[kind == AclKind::kBucket ? "acl" : "defaultObjectAcl"] = EncodeAcl(*acl);
    return {};
  });
  if (!changed) return tl::unexpected(ToXmlError(changed.error(), XmlErrorCode::kNoSuchBucket));
  return HttpResponse();
}

}  // namespace gcsflux::emulator
