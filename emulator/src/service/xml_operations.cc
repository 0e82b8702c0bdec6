// The table of operations: those of the XML API.

#include <array>

#include "identity/permissions.h"
#include "operations/operation.h"
#include "xml_api/xml_delete_objects.h"
#include "xml_api/xml_endpoints.h"
#include "xml_api/xml_listing.h"

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
