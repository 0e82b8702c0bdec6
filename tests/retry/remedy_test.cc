// The meaning of a throttling service's answers, and the advice for callers.
#include "retry/remedy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "retry/throttle_cause.h"

namespace gcsflux::internal {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr auto kObject = "gs://bkt/name";
// The service's own words.
const Error kEgress{ErrorCode::kRateLimited,
                    "429: This workload is drawing too much egress bandwidth from Google Cloud Storage.", 429};
const Error kEgressCap{ErrorCode::kRateLimited,
                       "429: You have triggered the Cloud Storage Egress Bandwidth Cap for project p.", 429};
const Error kMutation{
    ErrorCode::kRateLimited,
    "429 rateLimitExceeded: The object bkt/name exceeded the rate limit for object mutation operations "
    "(create, update, and delete). Please reduce your request rate.",
    429};
const Error kRequests{ErrorCode::kRateLimited, "429: Too many Requests", 429};

TEST(ThrottleCause, IsReadFromTheServicesMessage) {
  EXPECT_EQ(CauseOfThrottling(kEgress), ThrottleCause::kEgress);
  EXPECT_EQ(CauseOfThrottling(kEgressCap), ThrottleCause::kEgress);
  EXPECT_EQ(CauseOfThrottling(kMutation), ThrottleCause::kObjectMutation);
  EXPECT_EQ(CauseOfThrottling(kRequests), ThrottleCause::kRequestRate);
}

TEST(Remedy, DependsOnTheThrottledLimit) {
  EXPECT_THAT(Remedy(kEgress, kObject), AllOf(HasSubstr("number of connections"), HasSubstr("/bandwidth-usage")));
  EXPECT_THAT(Remedy(kEgressCap, kObject), AllOf(HasSubstr("number of connections"), HasSubstr("/bandwidth-usage")));
  EXPECT_THAT(Remedy(kRequests, kObject), AllOf(HasSubstr("warm the bucket up"), HasSubstr("/request-rate")));
  EXPECT_THAT(Remedy(kMutation, kObject), HasSubstr("once a second"));
}

TEST(Remedy, IsNoCompositionForComposites) {
  constexpr auto kComposed = "gs://bkt/dataflux-composed-objects/0a1b.tar";
  for (const Error& error : {kRequests, kMutation, kEgress}) {
    EXPECT_THAT(Remedy(error, kComposed), HasSubstr("turn composition off")) << error.message;
  }
}

TEST(Remedy, ExistsForEveryErrorOfTheCaller) {
  for (const ErrorCode code :
       {ErrorCode::kTokenUnavailable, ErrorCode::kPermissionDenied, ErrorCode::kNotFound,
        ErrorCode::kPreconditionFailed, ErrorCode::kUnreachable, ErrorCode::kUnavailable, ErrorCode::kProxyFailed,
        ErrorCode::kTlsFailed, ErrorCode::kTruncated, ErrorCode::kCorrupted, ErrorCode::kAborted,
        ErrorCode::kSessionLost, ErrorCode::kBadResponse}) {
    EXPECT_NE(Remedy({code}, kObject), "") << ErrorCodeName(code);
  }
  EXPECT_THAT(Remedy({ErrorCode::kPreconditionFailed}, kObject, /*was_ambiguous=*/true), HasSubstr("earlier attempt"));
  EXPECT_EQ(Remedy({ErrorCode::kCancelled}, kObject), "") << "the caller requested it";
}

}  // namespace
}  // namespace gcsflux::internal
