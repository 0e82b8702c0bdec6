// Every operation under every transient fault: it succeeds, the fault has fired, the bytes are right, and each effect
// happens exactly once. Reads and uploads have tests of their own, and operation_faults_test.cc has permanent failures.
#include "support/fault_matrix.h"

#include "gcsflux/listing.h"
#include "support/result.h"

namespace gcsflux {
namespace {

using testing::FailuresInPlaceOfAnswer;
using testing::LostAnswer;
using testing::LostAnswers;

class FaultMatrixTest : public testing::FaultMatrix {};

TEST_F(FaultMatrixTest, ReadsMetadataAndListsWhole) {
  ForEach(FailuresInPlaceOfAnswer() + LostAnswers(), {.operation = "storage.objects.get"}, [&] {
    const auto found = client_->GetObject({kBucket, "object"});
    ASSERT_TRUE(found.ok()) << found.error().message;
    EXPECT_EQ(found->size, Content().size());
  });
  ForEach(FailuresInPlaceOfAnswer() + LostAnswers(), {.operation = "storage.objects.list"}, [&] {
    const auto listed = ListPrefix(*client_, {kBucket, ""});
    ASSERT_TRUE(listed.ok()) << listed.error().message;
    EXPECT_EQ(listed->objects.size(), 2U);
  });
  ForEach(FailuresInPlaceOfAnswer() + LostAnswers(), {.operation = "storage.buckets.get"},
          [&] { EXPECT_TRUE(client_->GetBucket(kBucket).ok()); });
  ForEach(FailuresInPlaceOfAnswer() + LostAnswers(), {.operation = "storage.buckets.list"}, [&] {
    const auto buckets = client_->ListBuckets();
    ASSERT_TRUE(buckets.ok()) << buckets.error().message;
    EXPECT_EQ(buckets->size(), 1U);
  });
}

TEST_F(FaultMatrixTest, CreatesAndDeletesBucketsOnce) {
  ForEach(FailuresInPlaceOfAnswer() + LostAnswers(), {.operation = "storage.buckets.insert", .method = "POST"}, [&] {
    const auto made = client_->InsertBucket("other-bucket");
    EXPECT_TRUE(made.ok()) << made.error().message;
  });
  // A 204 has no body to cut.
  ForEach(FailuresInPlaceOfAnswer() + LostAnswer(), {.operation = "storage.buckets.delete"}, [&] {
    ASSERT_TRUE(client_->InsertBucket("other-bucket").ok());
    const auto deleted = client_->DeleteBucket("other-bucket");
    EXPECT_TRUE(deleted.ok()) << deleted.error().message;
    EXPECT_FALSE(client_->GetBucket("other-bucket").ok());
  });
}

TEST_F(FaultMatrixTest, RetriesAConditionalCompose) {
  ForEach(FailuresInPlaceOfAnswer(), {.operation = "storage.objects.compose"}, [&] {
    const auto composed = client_->ComposeObjects({{.name = "object"}, {.name = "small"}}, {kBucket, "new"},
                                                  {.preconditions = {.if_generation_match = 0}});
    ASSERT_TRUE(composed.ok()) << composed.error().message;
    ExpectStoredOnce("new", Content() + "bytes");
  });
}

TEST_F(FaultMatrixTest, DeletesAnObjectOnce) {
  ForEach(FailuresInPlaceOfAnswer() + LostAnswer(), {.operation = "storage.objects.delete"}, [&] {
    const auto found = client_->GetObject({kBucket, "small"});
    ASSERT_TRUE(found.ok());
    const auto deleted =
        client_->DeleteObject({kBucket, "small"}, {.preconditions = {.if_generation_match = found->generation}});
    EXPECT_TRUE(deleted.ok()) << deleted.error().message;
    EXPECT_EQ(testing::ErrorOf(client_->GetObject({kBucket, "small"})).code, ErrorCode::kNotFound);
  });
}

TEST_F(FaultMatrixTest, DoesNotRetryUnconditionalWrites) {
  ForEach(FailuresInPlaceOfAnswer(), {.operation = "storage.objects.insert"}, [&] {
    EXPECT_FALSE(client_->InsertObject({kBucket, "new"}, AsBytes("bytes")).ok());
    EXPECT_EQ(testing::ErrorOf(client_->GetObject({kBucket, "new"})).code, ErrorCode::kNotFound);
  });
  ForEach(LostAnswer(), {.operation = "storage.objects.insert"}, [&] {
    EXPECT_FALSE(client_->InsertObject({kBucket, "new"}, AsBytes("bytes")).ok());
    ExpectStoredOnce("new", "bytes");
  });
}

}  // namespace
}  // namespace gcsflux
