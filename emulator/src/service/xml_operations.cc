// The table of operations: those of the XML API.

#include <array>

#include "identity/permissions.h"
#include "operations/operation.h"
#include "xml_api/form_post.h"
#include "xml_api/sub_resources/xml_acls.h"
#include "xml_api/sub_resources/xml_settings.h"
#include "xml_api/xml_compose.h"
#include "xml_api/xml_delete_objects.h"
#include "xml_api/xml_endpoints.h"
#include "xml_api/xml_listing.h"
#include "xml_api/xml_resumable.h"

namespace gcsflux::emulator {
namespace {

using enum Permission;

// The handler that is a method of one of the endpoints.
template <auto endpoints, auto method>
XmlResult<HttpResponse> Call(const XmlEndpoints& all, const XmlCall& call) {
  return ((all.*endpoints).*method)(call);
}

template <auto function>
XmlResult<HttpResponse> CallWithStore(const XmlEndpoints& all, const XmlCall& call) {
  return function(all.store, call);
}

XmlResult<HttpResponse> StartSession(const XmlEndpoints& all, const XmlCall& call) {
  return StartXmlSession(all.store, all.sessions, call);
}

XmlResult<HttpResponse> PostForm(const XmlEndpoints& all, const XmlCall& call) {
  return PostXmlForm(all.store, all.authorizer, call);
}

// A setting of a bucket, by the method and the path with its sub-resource.
constexpr XmlOperation ToGet(std::string_view request) {
  return {{.name = "storage.buckets.get",
           .request = request,
           .traffic_class = TrafficClass::kRead,
           .is_retry_method = true,
           .needs = {.on_bucket = {kBucketsGet}}},
          &CallWithStore<&GetXmlSetting>};
}
constexpr XmlOperation ToPut(std::string_view request) {
  return {{.name = "storage.buckets.update",
           .request = request,
           .traffic_class = TrafficClass::kWrite,
           .is_retry_method = true,
           .needs = {.on_bucket = {kBucketsUpdate}}},
          &CallWithStore<&PutXmlSetting>};
}
constexpr XmlOperation ToGetAcl(std::string_view name, std::string_view request, NeededPermissions needs) {
  return {
      {.name = name, .request = request, .traffic_class = TrafficClass::kList, .is_retry_method = true, .needs = needs},
      &CallWithStore<&GetXmlAcl>,
      "generation versionId"};
}
constexpr XmlOperation ToPutAcl(std::string_view name, std::string_view request, NeededPermissions needs) {
  return {{.name = name,
           .request = request,
           .traffic_class = TrafficClass::kWrite,
           .is_retry_method = true,
           .needs = needs},
          &CallWithStore<&PutXmlAcl>,
          "generation versionId"};
}

// The permissions: https://cloud.google.com/storage/docs/access-control/iam-xml. If a query names the subresources of
// several rows, the first row counts, and the others are parameters that it does not have.
constexpr auto kXmlOperations = std::to_array<XmlOperation>({
    {{.name = "storage.multipartUploads.create",
      .phase = "part",
      .request = "PUT /{bucket}/{object}?uploadId",
      .traffic_class = TrafficClass::kWrite,
      .counts_as = "storage.objects.insert",
      .needs = {.on_bucket = {kMultipartUploadsCreate, kObjectsCreate}}},
     &Call<&XmlEndpoints::multipart, &XmlMultipart::PutPart>,
     "partNumber"},
    {{.name = "storage.multipartUploads.listParts",
      .request = "GET /{bucket}/{object}?uploadId",
      .traffic_class = TrafficClass::kList,
      .needs = {.on_bucket = {kMultipartUploadsListParts}}},
     &Call<&XmlEndpoints::multipart, &XmlMultipart::ListParts>,
     "max-parts part-number-marker"},
    {{.name = "storage.multipartUploads.create",
      .phase = "complete",
      .request = "POST /{bucket}/{object}?uploadId",
      .traffic_class = TrafficClass::kWrite,
      .mutates_object = true,
      .counts_as = "storage.objects.insert",
      .needs = {.on_bucket = {kMultipartUploadsCreate, kObjectsCreate}, .replaces_object = true}},
     &Call<&XmlEndpoints::multipart, &XmlMultipart::Complete>},
    {{.name = "storage.multipartUploads.abort",
      .phase = "abort",
      .request = "DELETE /{bucket}/{object}?uploadId",
      .traffic_class = TrafficClass::kDelete,
      .counts_as = "storage.objects.delete",
      .needs = {.on_bucket = {kMultipartUploadsAbort}}},
     &Call<&XmlEndpoints::multipart, &XmlMultipart::Abort>},
    {{.name = "storage.multipartUploads.list",
      .request = "GET /{bucket}?uploads",
      .traffic_class = TrafficClass::kList,
      .needs = {.on_bucket = {kMultipartUploadsList}}},
     &Call<&XmlEndpoints::multipart, &XmlMultipart::ListUploads>,
     "prefix delimiter key-marker upload-id-marker max-uploads encoding-type"},
    {{.name = "storage.multipartUploads.create",
      .phase = "initiate",
      .request = "POST /{bucket}/{object}?uploads",
      .traffic_class = TrafficClass::kWrite,
      .counts_as = "storage.objects.insert",
      .needs = {.on_bucket = {kMultipartUploadsCreate, kObjectsCreate}}},
     &Call<&XmlEndpoints::multipart, &XmlMultipart::Initiate>},
    {{.name = "storage.buckets.get",
      .request = "GET /{bucket}?location",
      .traffic_class = TrafficClass::kRead,
      .is_retry_method = true,
      .needs = {.on_bucket = {kBucketsGet}}},
     &Call<&XmlEndpoints::buckets, &XmlBuckets::GetLocation>},
    {{.name = "storage.buckets.get",
      .request = "GET /{bucket}?versioning",
      .traffic_class = TrafficClass::kRead,
      .is_retry_method = true,
      .needs = {.on_bucket = {kBucketsGet}}},
     &Call<&XmlEndpoints::buckets, &XmlBuckets::GetVersioning>},
    {{.name = "storage.buckets.update",
      .request = "PUT /{bucket}?versioning",
      .traffic_class = TrafficClass::kWrite,
      .is_retry_method = true,
      .needs = {.on_bucket = {kBucketsUpdate}}},
     &Call<&XmlEndpoints::buckets, &XmlBuckets::SetVersioning>},
    ToGet("GET /{bucket}?billing"),
    ToPut("PUT /{bucket}?billing"),
    ToGet("GET /{bucket}?cors"),
    ToPut("PUT /{bucket}?cors"),
    ToGet("GET /{bucket}?encryptionConfig"),
    ToPut("PUT /{bucket}?encryptionConfig"),
    ToGet("GET /{bucket}?lifecycle"),
    ToPut("PUT /{bucket}?lifecycle"),
    ToGet("GET /{bucket}?logging"),
    ToPut("PUT /{bucket}?logging"),
    ToGet("GET /{bucket}?storageClass"),
    ToPut("PUT /{bucket}?storageClass"),
    ToGet("GET /{bucket}?tagging"),
    ToPut("PUT /{bucket}?tagging"),
    ToGet("GET /{bucket}?websiteConfig"),
    ToPut("PUT /{bucket}?websiteConfig"),
    ToGetAcl("storage.bucket_acl.list", "GET /{bucket}?acl", {.on_bucket = {kBucketsGetIamPolicy}}),
    ToPutAcl("storage.bucket_acl.update", "PUT /{bucket}?acl", {.on_bucket = {kBucketsSetIamPolicy}}),
    ToGetAcl("storage.default_object_acl.list", "GET /{bucket}?defaultObjectAcl",
             {.on_bucket = {kBucketsGetIamPolicy}}),
    ToPutAcl("storage.default_object_acl.update", "PUT /{bucket}?defaultObjectAcl",
             {.on_bucket = {kBucketsSetIamPolicy}}),
    ToGetAcl("storage.object_acl.list", "GET /{bucket}/{object}?acl", {.on_object = {kObjectsGetIamPolicy}}),
    ToPutAcl("storage.object_acl.update", "PUT /{bucket}/{object}?acl", {.on_object = {kObjectsSetIamPolicy}}),
    {{.name = "storage.objects.list",
      .request = "GET /{bucket}?versions",
      .traffic_class = TrafficClass::kList,
      .is_retry_method = true,
      .needs = {.on_bucket = {kObjectsList}}},
     &CallWithStore<&ListXmlVersions>,
     "prefix delimiter max-keys key-marker generation-marker version-id-marker encoding-type"},
    // The endpoint asks for the permission to get each source.
    {{.name = "storage.objects.compose",
      .request = "PUT /{bucket}/{object}?compose",
      .traffic_class = TrafficClass::kCompose,
      .mutates_object = true,
      .is_retry_method = true,
      .needs = {.on_bucket = {kObjectsCreate}, .replaces_object = true}},
     &CallWithStore<&ComposeXmlObject>},
    {{.name = "storage.objects.delete",
      .request = "POST /{bucket}?delete",
      .traffic_class = TrafficClass::kDelete,
      .mutates_object = true,
      .is_retry_method = true,
      .needs = {.on_bucket = {kObjectsDelete}}},
     &CallWithStore<&DeleteXmlObjects>},
    {{.name = "storage.buckets.list",
      .request = "GET /",
      .traffic_class = TrafficClass::kList,
      .is_retry_method = true,
      .needs = {.on_project = {kBucketsList}}},
     &Call<&XmlEndpoints::buckets, &XmlBuckets::List>},
    {{.name = "storage.buckets.insert",
      .request = "PUT /{bucket}",
      .traffic_class = TrafficClass::kWrite,
      .is_retry_method = true,
      .needs = {.on_project = {kBucketsCreate}}},
     &Call<&XmlEndpoints::buckets, &XmlBuckets::Create>},
    {{.name = "storage.buckets.get",
      .request = "HEAD /{bucket}",
      .traffic_class = TrafficClass::kRead,
      .is_retry_method = true,
      .needs = {.on_bucket = {kBucketsGet}}},
     &Call<&XmlEndpoints::buckets, &XmlBuckets::Head>},
    {{.name = "storage.buckets.delete",
      .request = "DELETE /{bucket}",
      .traffic_class = TrafficClass::kDelete,
      .is_retry_method = true,
      .needs = {.on_bucket = {kBucketsDelete}}},
     &Call<&XmlEndpoints::buckets, &XmlBuckets::Delete>},
    {{.name = "storage.objects.list",
      .request = "GET /{bucket}",
      .traffic_class = TrafficClass::kList,
      .is_retry_method = true,
      .needs = {.on_bucket = {kObjectsList}}},
     &CallWithStore<&ListXmlObjects>,
     "list-type prefix delimiter max-keys marker start-after continuation-token encoding-type fetch-owner"},
    {{.name = "storage.objects.get",
      .request = "GET /{bucket}/{object}",
      .traffic_class = TrafficClass::kRead,
      .is_retry_method = true,
      .transfer = Transfer::kMedia,
      .needs = {.on_object = {kObjectsGet}}},
     &Call<&XmlEndpoints::objects, &XmlObjects::Get>,
     "generation versionId response-content-type response-content-disposition"},
    {{.name = "storage.objects.get",
      .request = "HEAD /{bucket}/{object}",
      .traffic_class = TrafficClass::kRead,
      .is_retry_method = true,
      .needs = {.on_object = {kObjectsGet}}},
     &Call<&XmlEndpoints::objects, &XmlObjects::Get>,
     "generation versionId response-content-type response-content-disposition"},
    {{.name = "storage.objects.insert",
      .request = "PUT /{bucket}/{object}",
      .traffic_class = TrafficClass::kWrite,
      .mutates_object = true,
      .is_retry_method = true,
      .needs = {.on_bucket = {kObjectsCreate}, .replaces_object = true}},
     &Call<&XmlEndpoints::objects, &XmlObjects::Put>},
    // The form's policy document says who sends it, so the endpoint asks for the permissions.
    {{.name = "storage.objects.insert",
      .request = "POST /{bucket}",
      .traffic_class = TrafficClass::kWrite,
      .mutates_object = true,
      .is_retry_method = true,
      .needs = {}},
     &PostForm},
    {{.name = "storage.objects.insert",
      .phase = "start",
      .request = "POST /{bucket}/{object}",
      .traffic_class = TrafficClass::kWrite,
      .is_retry_method = true,
      .needs = {.on_bucket = {kObjectsCreate}, .replaces_object = true}},
     &StartSession},
    {{.name = "storage.objects.delete",
      .request = "DELETE /{bucket}/{object}",
      .traffic_class = TrafficClass::kDelete,
      .mutates_object = true,
      .is_retry_method = true,
      .needs = {.on_bucket = {kObjectsDelete}}},
     &Call<&XmlEndpoints::objects, &XmlObjects::Delete>,
     "generation versionId"},
});

}  // namespace

std::span<const XmlOperation> XmlOperations() { return kXmlOperations; }

}  // namespace gcsflux::emulator
