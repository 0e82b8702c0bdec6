#include "retry/idempotency.h"

namespace gcsflux::internal {

bool IsIdempotent(Operation operation, const Guards& guards) {
  switch (operation) {
    case Operation::kGetBucket:
    case Operation::kListBuckets:
    case Operation::kTestBucketPermissions:
    case Operation::kGetObject:
    case Operation::kReadObject:
    case Operation::kListObjects:
    // A bucket's name is created or deleted once; the same request cannot do it again.
    case Operation::kInsertBucket:
    case Operation::kDeleteBucket: return true;
    // A replacement changes the object's generation.
    case Operation::kInsertObject:
    case Operation::kComposeObjects:
    case Operation::kCopyObject:
    case Operation::kRewriteObject: return guards.if_generation_match.has_value();
    case Operation::kPatchObject:
    case Operation::kUpdateObject: return guards.if_metageneration_match.has_value();
    // A deleted generation never returns.
    case Operation::kDeleteObject: break;
  }
  return guards.generation.has_value() || guards.if_generation_match.has_value();
}

}  // namespace gcsflux::internal
