// The options of every call, and the client's policy of retries.
#include <gtest/gtest.h>

#include "support/fails_with.h"
#include "support/fake_gcs.h"
#include "support/upload_case.h"

namespace gcsflux {
namespace {

using testing::FakeGcs;
using testing::MakeClient;

using testing::kObject;

class CallOptionsTest : public ::testing::Test {
 protected:
  CallOptionsTest() { gcs_.Put("o", "bytes"); }
  void FailNext(int times) {
    for (int i = 0; i < times; ++i) gcs_.faults.push_back({.status = 503});
  }

  FakeGcs gcs_;
};

TEST_F(CallOptionsTest, PreferTheCallsRetryPolicy) {
  const Client client = MakeClient(gcs_, {.max_attempts = 1});
  FailNext(2);
  EXPECT_FALSE(client.GetObject(kObject).ok());
  FailNext(1);
  EXPECT_TRUE(client.GetObject(kObject, {.call = {.retry = RetryOptions{.max_attempts = 3}}}).ok());
  EXPECT_TRUE(gcs_.faults.empty());
  EXPECT_EQ(gcs_.requests.size(), 4);
}

TEST_F(CallOptionsTest, AllowFewerRetriesThanTheClient) {
  const Client client = MakeClient(gcs_);
  FailNext(1);
  EXPECT_FALSE(client.ReadObject(kObject, {.call = {.retry = RetryOptions{.max_attempts = 1}}}).ok());
  EXPECT_EQ(gcs_.requests.size(), 1);
}

TEST_F(CallOptionsTest, RefuseAnInvalidRetryPolicyBeforeSending) {
  const auto got = MakeClient(gcs_).GetObject(kObject, {.call = {.retry = RetryOptions{.multiplier = 0.5}}});
  ASSERT_TRUE(testing::FailsWith(got, ErrorCode::kInvalidArgument));
  EXPECT_EQ(got.error().message, "objects.get gs://bkt/o: RetryOptions::multiplier must be from 1 to 100");
  EXPECT_TRUE(gcs_.requests.empty());
}

TEST_F(CallOptionsTest, RetryUnconditionalWritesOnlyIfAllowed) {
  FailNext(1);
  EXPECT_FALSE(MakeClient(gcs_).InsertObject(kObject, AsBytes("new")).ok());
  EXPECT_EQ(gcs_.requests.size(), 1);
  FailNext(1);
  EXPECT_TRUE(MakeClient(gcs_, {}, IdempotencyPolicy::kAlwaysRetry).InsertObject(kObject, AsBytes("new")).ok());
  EXPECT_EQ(gcs_.requests.size(), 3);
}

}  // namespace
}  // namespace gcsflux
