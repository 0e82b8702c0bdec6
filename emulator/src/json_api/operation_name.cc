#include "json_api/operation_name.h"

namespace gcsflux::emulator {

std::string_view OperationName(Operation operation) {
  switch (operation) {
    case Operation::kListBuckets: return "storage.buckets.list";
    case Operation::kInsertBucket: return "storage.buckets.insert";
    case Operation::kGetBucket: return "storage.buckets.get";
    case Operation::kPatchBucket: return "storage.buckets.patch";
    case Operation::kUpdateBucket: return "storage.buckets.update";
    case Operation::kDeleteBucket: return "storage.buckets.delete";
    case Operation::kGetStorageLayout: return "storage.buckets.getStorageLayout";
    case Operation::kListManagedFolders: return "storage.managedFolders.list";
    case Operation::kListFolders: return "storage.folders.list";
    case Operation::kTestBucketPermissions: return "storage.buckets.testIamPermissions";
    case Operation::kListObjects: return "storage.objects.list";
    case Operation::kGetObject:
    case Operation::kDownloadObject: return "storage.objects.get";
    case Operation::kPatchObject: return "storage.objects.patch";
    // As in the retry tests of Google's clients, whatever is sent to an upload session is part of the insert, but for
    // its end.
    case Operation::kDeleteObject:
    case Operation::kCancelUpload: return "storage.objects.delete";
    case Operation::kUpdateObject: return "storage.objects.update";
    case Operation::kCopyObject: return "storage.objects.copy";
    case Operation::kRewriteObject: return "storage.objects.rewrite";
    case Operation::kMoveObject: return "storage.objects.move";
    case Operation::kComposeObject: return "storage.objects.compose";
    case Operation::kInsertObject:
    case Operation::kUploadChunk: return "storage.objects.insert";
  }
  return "unknown";
}

}  // namespace gcsflux::emulator
