// Calls at their gate, in simulated time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/client_core.h"
#include "support/fails_with.h"
#include "support/fake_gcs.h"
#include "wire/object_requests.h"

namespace gcsflux {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

class ThrottledCallsTest : public ::testing::Test {
 protected:
  ThrottledCallsTest() { gcs_.Put("o", "0123456789"); }

  // A read under a deadline of an hour, which the service answers with these in turn.
  Error Fail(const std::vector<testing::Fault>& answers) {
    for (int i = 0; i < 10'000; ++i) gcs_.faults.insert(gcs_.faults.end(), answers.begin(), answers.end());
    const auto read = testing::MakeClient(gcs_, {.deadline = 1h}).ReadObject({"bkt", "o"});
    EXPECT_FALSE(read.ok());
    return read ? Error{} : read.error();
  }

  testing::FakeGcs gcs_;
};

TEST_F(ThrottledCallsTest, FailAfterFiveMinutesWithoutSuccess) {
  const Error error = Fail({{.status = 429}});
  EXPECT_TRUE(testing::FailsWith(error, ErrorCode::kRateLimited, HasSubstr("no request has succeeded for 5 minutes")));
  EXPECT_THAT(error.message, ContainsRegex("attempts in 3[0-9][0-9][.][0-9] s"));
}

// A 503 is not a success.
TEST_F(ThrottledCallsTest, FailAsSoonDespiteOtherFailuresBetween) {
  EXPECT_THAT(Fail({{.status = 429}, {.status = 503}}).message,
              ContainsRegex("no request has succeeded for 5 minutes .*attempts in 3[0-9][0-9][.][0-9] s"));
}

TEST_F(ThrottledCallsTest, KeepTheirPlaceInLineAcrossAttempts) {
  const Client client = testing::MakeClient(gcs_);
  const internal::Call call{.operation = "objects.get", .subject = "gs://bkt/o", .bucket = "bkt"};
  const RetryOptions options;
  internal::Attempts attempts(call, {options, CoreOf(client).timing()});
  const auto send = [&] {
    const auto request = internal::GetObjectRequest(CoreOf(client).endpoint(), {"bkt", "o"}, {});
    ASSERT_TRUE(CoreOf(client).SendRaw({request, "id", attempts}).ok());
  };
  ASSERT_NO_FATAL_FAILURE(send());
  const auto ticket = attempts.ticket();
  ASSERT_TRUE(ticket);
  ASSERT_TRUE(client.GetObject({"bkt", "o"}).ok()) << "another call follows";
  ASSERT_NO_FATAL_FAILURE(send());
  EXPECT_EQ(attempts.ticket(), ticket);
}

}  // namespace
}  // namespace gcsflux
