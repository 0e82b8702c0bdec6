#include "xml_api/xml_operation.h"

namespace gcsflux::emulator {

using enum Permission;

NeededPermissions PermissionsFor(XmlOperation operation) {
  switch (operation) {
    case XmlOperation::kListBuckets: return {.on_project = {kBucketsList}};
    case XmlOperation::kCreateBucket: return {.on_project = {kBucketsCreate}};
    case XmlOperation::kHeadBucket:
    case XmlOperation::kGetBucketLocation:
    case XmlOperation::kGetBucketVersioning: return {.on_bucket = {kBucketsGet}};
    case XmlOperation::kSetBucketVersioning: return {.on_bucket = {kBucketsUpdate}};
    case XmlOperation::kDeleteBucket: return {.on_bucket = {kBucketsDelete}};
    case XmlOperation::kListObjects: return {.on_bucket = {kObjectsList}};
    case XmlOperation::kGetObject: return {.on_bucket = {kObjectsGet}};
    case XmlOperation::kPutObject: return {.on_bucket = {kObjectsCreate}, .replaces_object = true};
    case XmlOperation::kDeleteObjects:
    case XmlOperation::kDeleteObject: return {.on_bucket = {kObjectsDelete}};
    case XmlOperation::kInitiateUpload:
    case XmlOperation::kPutPart: return {.on_bucket = {kMultipartUploadsCreate, kObjectsCreate}};
    case XmlOperation::kCompleteUpload:
      return {.on_bucket = {kMultipartUploadsCreate, kObjectsCreate}, .replaces_object = true};
    case XmlOperation::kAbortUpload: return {.on_bucket = {kMultipartUploadsAbort}};
    case XmlOperation::kListUploads: return {.on_bucket = {kMultipartUploadsList}};
    case XmlOperation::kListParts: return {.on_bucket = {kMultipartUploadsListParts}};
  }
  return {};
}

RequestSubject SubjectOf(XmlOperation operation) {
  switch (operation) {
    case XmlOperation::kListBuckets: return {.operation = "storage.buckets.list"};
    case XmlOperation::kCreateBucket: return {.operation = "storage.buckets.insert"};
    case XmlOperation::kHeadBucket:
    case XmlOperation::kGetBucketLocation:
    case XmlOperation::kGetBucketVersioning: return {.operation = "storage.buckets.get"};
    case XmlOperation::kSetBucketVersioning: return {.operation = "storage.buckets.update"};
    case XmlOperation::kDeleteBucket: return {.operation = "storage.buckets.delete"};
    case XmlOperation::kListObjects: return {.operation = "storage.objects.list"};
    case XmlOperation::kGetObject: return {.operation = "storage.objects.get"};
    case XmlOperation::kPutObject: return {.operation = "storage.objects.insert"};
    case XmlOperation::kDeleteObjects:
    case XmlOperation::kDeleteObject: return {.operation = "storage.objects.delete"};
    case XmlOperation::kInitiateUpload: return {.operation = "storage.multipartUploads.create", .phase = "initiate"};
    case XmlOperation::kPutPart: return {.operation = "storage.multipartUploads.create", .phase = "part"};
    case XmlOperation::kCompleteUpload: return {.operation = "storage.multipartUploads.create", .phase = "complete"};
    case XmlOperation::kAbortUpload: return {.operation = "storage.multipartUploads.abort", .phase = "abort"};
    case XmlOperation::kListUploads: return {.operation = "storage.multipartUploads.list"};
    case XmlOperation::kListParts: return {.operation = "storage.multipartUploads.listParts"};
  }
  return {};
}

}  // namespace gcsflux::emulator
