#pragma once

#include "events/billing.h"
#include "retry/operation_kind.h"

namespace gcsflux::internal {

/// The operations of the client's methods. To add one, add it here and to TraitsOf().
enum class Operation {
  kInsertBucket,
  kGetBucket,
  kListBuckets,
  kDeleteBucket,
  kTestBucketPermissions,
  kListNotifications,
  kInsertObject,
  kGetObject,
  kReadObject,
  kListObjects,
  kPatchObject,
  kUpdateObject,
  kComposeObjects,
  kCopyObject,
  kRewriteObject,
  kMoveObject,
  kDeleteObject,
};

/// When a second sending of the same request has no second effect, whatever other clients do in between:
/// https://cloud.google.com/storage/docs/retry-strategy#idempotency-operations
enum class Repeatable {
  kAlways,                 ///< It changes nothing. Or it creates or deletes a bucket's name, which happens only once.
  kIfGenerationMatch,      ///< A replacement changes the object's generation.
  kIfMetagenerationMatch,  ///< A change of an object's metadata changes its metageneration.
  kIfOneGeneration,        ///< With a generation, or with the match of one: a deleted generation never returns.
};

/// What the client knows of an operation beside its request. events/billing.h has its price.
struct OperationTraits {
  OperationName operation;
  OperationKind kind;  ///< Determines the retry policy.
  Repeatable repeatable;
};

constexpr OperationTraits TraitsOf(Operation operation) {
  using enum OperationKind;
  using enum Repeatable;
  switch (operation) {
    case Operation::kInsertBucket: return {"buckets.insert", kWriteMetadata, kAlways};
    case Operation::kGetBucket: return {"buckets.get", kReadMetadata, kAlways};
    case Operation::kListBuckets: return {"buckets.list", kList, kAlways};
    case Operation::kDeleteBucket: return {"buckets.delete", kWriteMetadata, kAlways};
    case Operation::kTestBucketPermissions: return {"buckets.testIamPermissions", kReadMetadata, kAlways};
    case Operation::kListNotifications: return {"notifications.list", kReadMetadata, kAlways};
    case Operation::kInsertObject: return {"objects.insert", kUpload, kIfGenerationMatch};
    case Operation::kGetObject: return {"objects.get", kReadMetadata, kAlways};
    case Operation::kReadObject: return {"objects.get", kDownload, kAlways};
    case Operation::kListObjects: return {"objects.list", kList, kAlways};
    case Operation::kPatchObject: return {"objects.patch", kWriteMetadata, kIfMetagenerationMatch};
    case Operation::kUpdateObject: return {"objects.update", kWriteMetadata, kIfMetagenerationMatch};
    case Operation::kComposeObjects: return {"objects.compose", kWriteMetadata, kIfGenerationMatch};
    case Operation::kCopyObject: return {"objects.copy", kWriteMetadata, kIfGenerationMatch};
    case Operation::kRewriteObject: return {"objects.rewrite", kWriteMetadata, kIfGenerationMatch};
    case Operation::kMoveObject: return {"objects.move", kWriteMetadata, kIfGenerationMatch};
    case Operation::kDeleteObject: break;
  }
  return {"objects.delete", kWriteMetadata, kIfOneGeneration};
}

}  // namespace gcsflux::internal
