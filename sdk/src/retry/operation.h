#pragma once

#include "events/billing.h"
#include "retry/operation_kind.h"

namespace gcsflux::internal {

/// The operations of the client's methods.
enum class Operation {
  kInsertBucket,
  kGetBucket,
  kListBuckets,
  kDeleteBucket,
  kTestBucketPermissions,
  kInsertObject,
  kGetObject,
  kReadObject,
  kListObjects,
  kPatchObject,
  kUpdateObject,
  kComposeObjects,
  kCopyObject,
  kRewriteObject,
  kDeleteObject,
};

struct OperationTraits {
  OperationName operation;
  OperationKind kind;
};

constexpr OperationTraits TraitsOf(Operation operation) {
  switch (operation) {
    case Operation::kInsertBucket: return {"buckets.insert", OperationKind::kWriteMetadata};
    case Operation::kGetBucket: return {"buckets.get", OperationKind::kReadMetadata};
    case Operation::kListBuckets: return {"buckets.list", OperationKind::kList};
    case Operation::kDeleteBucket: return {"buckets.delete", OperationKind::kWriteMetadata};
    case Operation::kTestBucketPermissions: return {"buckets.testIamPermissions", OperationKind::kReadMetadata};
    case Operation::kInsertObject: return {"objects.insert", OperationKind::kUpload};
    case Operation::kGetObject: return {"objects.get", OperationKind::kReadMetadata};
    case Operation::kReadObject: return {"objects.get", OperationKind::kDownload};
    case Operation::kListObjects: return {"objects.list", OperationKind::kList};
    case Operation::kPatchObject: return {"objects.patch", OperationKind::kWriteMetadata};
    case Operation::kUpdateObject: return {"objects.update", OperationKind::kWriteMetadata};
    case Operation::kComposeObjects: return {"objects.compose", OperationKind::kWriteMetadata};
    case Operation::kCopyObject: return {"objects.copy", OperationKind::kWriteMetadata};
    case Operation::kRewriteObject: return {"objects.rewrite", OperationKind::kWriteMetadata};
    case Operation::kDeleteObject: break;
  }
  return {"objects.delete", OperationKind::kWriteMetadata};
}

}  // namespace gcsflux::internal
