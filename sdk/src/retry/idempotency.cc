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
    // A bucket's name is made or freed once, and never anew by the same request.
    case Operation::kInsertBucket:
    case Operation::kDeleteBucket: return true;
    // What replaces an object changes its generation.
    case Operation::kInsertObject:
    case Operation::kComposeObjects:
    case Operation::kCopyObject:
    case Operation::kRewriteObject: return guards.if_generation_match.has_value();
    case Operation::kPatchObject:
    case Operation::kUpdateObject: return guards.if_metageneration_match.has_value();
    // A generation that is gone never comes back.
    case Operation::kDeleteObject: break;
  }
  return guards.generation.has_value() || guards.if_generation_match.has_value();
}

}  // namespace gcsflux::internal
