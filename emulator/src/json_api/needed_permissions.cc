#include "json_api/needed_permissions.h"

namespace gcsflux::emulator {

using enum Permission;

NeededPermissions PermissionsFor(Operation operation) {
  switch (operation) {
    case Operation::kListBuckets: return {.on_project = {kBucketsList}};
    case Operation::kInsertBucket: return {.on_project = {kBucketsCreate}};
    case Operation::kGetBucket: return {.on_bucket = {kBucketsGet}};
    case Operation::kPatchBucket:
    case Operation::kUpdateBucket: return {.on_bucket = {kBucketsGet, kBucketsUpdate}};
    case Operation::kDeleteBucket: return {.on_bucket = {kBucketsDelete}};
    case Operation::kTestBucketPermissions:
      return {};  // everybody may ask what they may do
    // storage.folders.list and storage.managedFolders.list, which go with it in every role here.
    case Operation::kGetStorageLayout:
    case Operation::kListManagedFolders:
    case Operation::kListFolders:
    case Operation::kListObjects: return {.on_bucket = {kObjectsList}};
    case Operation::kGetObject:
    case Operation::kDownloadObject: return {.on_bucket = {kObjectsGet}};
    case Operation::kUpdateObject:
    case Operation::kPatchObject: return {.on_bucket = {kObjectsGet, kObjectsUpdate}};
    case Operation::kDeleteObject: return {.on_bucket = {kObjectsDelete}};
    case Operation::kComposeObject: return {.on_bucket = {kObjectsGet, kObjectsCreate}, .replaces_object = true};
    // And to get the source, which the endpoint knows.
    case Operation::kCopyObject:
    case Operation::kRewriteObject: return {.on_bucket = {kObjectsCreate}, .replaces_object = true};
    case Operation::kMoveObject:
      return {.on_bucket = {kObjectsGet, kObjectsDelete, kObjectsCreate}, .replaces_object = true};
    case Operation::kInsertObject:
      return {.on_bucket = {kObjectsCreate}};  // the body may name the object
    // A session's URI is a credential in itself: https://cloud.google.com/storage/docs/resumable-uploads#session-uris
    case Operation::kUploadChunk:
    case Operation::kCancelUpload: return {};
  }
  return {};
}

}  // namespace gcsflux::emulator
