#include "retry/idempotency.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gcsflux::internal {
namespace {

const Preconditions kNone;
const Preconditions kIfGeneration{.if_generation_match = 0};
const Preconditions kIfMetageneration{.if_metageneration_match = 1};

// https://cloud.google.com/storage/docs/retry-strategy#idempotency-operations, line by line.
TEST(Idempotency, MatchesTheServicesTable) {
  struct Case {
    Operation operation;
    bool bare, with_generation, if_generation, if_metageneration;
  };
  const Case cases[] = {
      {Operation::kInsertBucket, true, true, true, true},
      {Operation::kGetBucket, true, true, true, true},
      {Operation::kListBuckets, true, true, true, true},
      {Operation::kDeleteBucket, true, true, true, true},
      {Operation::kTestBucketPermissions, true, true, true, true},
      {Operation::kListNotifications, true, true, true, true},
      {Operation::kGetObject, true, true, true, true},
      {Operation::kReadObject, true, true, true, true},
      {Operation::kListObjects, true, true, true, true},
      {Operation::kInsertObject, false, false, true, false},
      {Operation::kComposeObjects, false, false, true, false},
      {Operation::kCopyObject, false, false, true, false},
      {Operation::kMoveObject, false, false, true, false},
      {Operation::kRewriteObject, false, false, true, false},
      {Operation::kPatchObject, false, false, false, true},
      {Operation::kUpdateObject, false, false, false, true},
      {Operation::kDeleteObject, false, true, true, false},
  };
  for (const Case& c : cases) {
    const auto name = TraitsOf(c.operation).operation.name;
    EXPECT_EQ(IsIdempotent(c.operation, kNone), c.bare) << name;
    EXPECT_EQ(IsIdempotent(c.operation, kNone, /*generation=*/7), c.with_generation) << name;
    EXPECT_EQ(IsIdempotent(c.operation, kIfGeneration), c.if_generation) << name;
    EXPECT_EQ(IsIdempotent(c.operation, kIfMetageneration), c.if_metageneration) << name;
  }
}

}  // namespace
}  // namespace gcsflux::internal
