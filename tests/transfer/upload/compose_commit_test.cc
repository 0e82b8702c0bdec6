// The compose that makes a staged object visible, and events between its attempts.
#include "transfer/upload/compose_commit.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>

#include "base/crc32c.h"
#include "client/client_core.h"
#include "support/fake_gcs.h"
#include "support/result.h"
#include "support/upload_case.h"

namespace gcsflux::internal {
namespace {

using std::chrono::hours;
using testing::ErrorOf;
using testing::kObject;
using testing::kReset;

class ComposeCommitTest : public ::testing::Test {
 protected:
  ComposeCommitTest() { gcs_.Put("temporary", bytes_); }

  Result<ObjectMetadata> Commit(const UploadOptions& options = {}) {
    return CommitByCompose(CoreOf(client_),
                           {.object = kObject,
                            .temporary = temporary_,
                            .generation = gcs_.objects["temporary"].generation,
                            .sent = {bytes_.size(), ExtendCrc32c(0, AsBytes(bytes_))}},
                           options, /*deletes_temporary=*/true);
  }
  // Before the nth request, from 1.
  void Before(std::size_t number, std::function<void()> act) {
    gcs_.on_request = [this, number, act = std::move(act)] {
      if (gcs_.requests.size() == number) act();
    };
  }

  const std::string bytes_ = "ours";
  const ObjectName temporary_{"bkt", "temporary"};
  testing::FakeGcs gcs_;
  Client client_ = testing::MakeClient(gcs_, {.initial_delay = hours(1), .max_delay = hours(1), .deadline = hours(24)});
};

TEST_F(ComposeCommitTest, ConsumesItsSource) {
  const auto stored = Commit({.mode = WriteMode::kCreate});
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  EXPECT_EQ(gcs_.objects["o"].bytes, bytes_);
  EXPECT_FALSE(gcs_.objects.contains("temporary"));
}

// Compose (its answer is lost), read-back, compose (404), read-back.
TEST_F(ComposeCommitTest, IsUnknownIfARivalDeletesItsResult) {
  gcs_.faults = {{.after = kReset}};
  Before(2, [this] { gcs_.objects.erase("o"); });
  const Error error = ErrorOf(Commit());
  EXPECT_EQ(error.code, ErrorCode::kOutcomeUnknown) << error.message;
  EXPECT_EQ(error.outcome, WriteOutcome::kUnknown);
  EXPECT_EQ(gcs_.requests.size(), 4U);
  EXPECT_TRUE(gcs_.objects.empty());
}

// Compose (does not arrive), read-back, compose (412), read-back.
TEST_F(ComposeCommitTest, ReturnsTheErrorOfACallersCondition) {
  gcs_.faults = {{.before = kReset}};
  Before(3, [this] { gcs_.Put("o", "a rival's"); });
  const Error error = ErrorOf(Commit({.mode = WriteMode::kCreate}));
  EXPECT_EQ(error.code, ErrorCode::kPreconditionFailed) << error.message;
  EXPECT_EQ(gcs_.requests.size(), 4U);
  EXPECT_EQ(gcs_.objects["o"].bytes, "a rival's");
}

// The rival's object is older than the second attempt, but not than the first, which it may have replaced.
TEST_F(ComposeCommitTest, IsUnknownIfARivalWroteBetweenItsAttempts) {
  gcs_.faults = {{.before = kReset}};
  gcs_.on_request = [this] {
    if (gcs_.requests.size() == 1) gcs_.Put("o", "a rival's");
    if (gcs_.requests.size() == 2) gcs_.now += std::chrono::minutes(10);
  };
  const Error error = ErrorOf(Commit({.mode = WriteMode::kCreate}));
  EXPECT_EQ(error.code, ErrorCode::kPreconditionFailed) << error.message;
  EXPECT_EQ(error.outcome, WriteOutcome::kUnknown);
  EXPECT_EQ(gcs_.requests.size(), 4U);
}

// Insert (does not arrive), read-back, insert (412), read-back.
TEST_F(ComposeCommitTest, InsertReportsARivalsWriteBetweenAttempts) {
  gcs_.faults = {{.before = kReset}};
  gcs_.on_request = [this] {
    if (gcs_.requests.size() == 1) gcs_.Put("o", "a rival's");
    if (gcs_.requests.size() == 2) gcs_.now += std::chrono::minutes(10);
  };
  const Error error = ErrorOf(UploadObject(client_, kObject, AsBytes(bytes_), {.mode = WriteMode::kCreate}));
  EXPECT_EQ(error.code, ErrorCode::kPreconditionFailed) << error.message;
  EXPECT_EQ(error.outcome, WriteOutcome::kUnknown);
  EXPECT_EQ(gcs_.requests.size(), 4U);
}

}  // namespace
}  // namespace gcsflux::internal
