#include "retry/retry_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <utility>
#include <vector>

#include "events/observer.h"
#include "retry/backoff.h"
#include "retry/retry_budget.h"
#include "retry/transient.h"
#include "support/driven_timing.h"
#include "support/fails_with.h"

namespace gcsflux::internal {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::DrivenTiming;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const RetryOptions kOptions{.initial_delay = milliseconds(100),
                            .multiplier = 2,
                            .max_delay = milliseconds(1000),
                            .jitter = 1,
                            .deadline = milliseconds(10'000)};

TEST(Backoff, NeverExceedsItsMaximum) {
  const int want_ms[] = {100, 200, 400, 800, 1000, 1000};
  for (int failures = 1; failures <= 6; ++failures) {
    EXPECT_EQ(BackoffDelay(kOptions, failures, 1.0), milliseconds(want_ms[failures - 1])) << failures;
  }
}

TEST(Backoff, IsFullJitter) {
  EXPECT_EQ(BackoffDelay(kOptions, 3, 0.0), milliseconds(0));
  EXPECT_EQ(BackoffDelay(kOptions, 3, 0.25), milliseconds(100));
}

TEST(Backoff, NeverOverflows) {
  EXPECT_EQ(BackoffDelay(kOptions, std::numeric_limits<int>::max(), 1.0), milliseconds(1000));
}

struct Failing {
  testing::DrivenTiming timing{1.0};
  Call call{.operation = "objects.get", .subject = "gs://b/o", .kind = OperationKind::kDownload, .is_idempotent = true};
  RetryOptions options = kOptions;
  int attempts = 0;

  // Fails `failures` times with `error`, then succeeds.
  Result<int> Run(int failures, const Error& error) {
    return RetryLoop(call, {options, timing}, [&](Attempts&) -> Result<int> {
      if (++attempts <= failures) return error;
      return 7;
    });
  }
};

const Error kDown{ErrorCode::kUnavailable, "503", 503};

TEST(RetryLoop, RetriesTransientFailures) {
  Failing failing;
  const auto result = failing.Run(3, kDown);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(*result, 7);
  EXPECT_EQ(failing.attempts, 4);
}

TEST(RetryLoop, DoesNotRetryPermanentFailures) {
  for (const ErrorCode code :
       {ErrorCode::kInvalidArgument, ErrorCode::kNotFound, ErrorCode::kPermissionDenied, ErrorCode::kUnauthenticated,
        ErrorCode::kPreconditionFailed, ErrorCode::kTlsFailed, ErrorCode::kCorrupted, ErrorCode::kBadResponse}) {
    Failing failing;
    EXPECT_TRUE(testing::FailsWith(failing.Run(1, Error{code, "no"}), code)) << ErrorCodeName(code);
    EXPECT_EQ(failing.attempts, 1) << ErrorCodeName(code);
  }
}

TEST(RetryLoop, DoesNotRetryNonIdempotentCalls) {
  Failing failing;
  failing.call.is_idempotent = false;
  const auto result = failing.Run(1, kDown);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(failing.attempts, 1);
  EXPECT_THAT(result.error().message, HasSubstr("precondition"));
}

// The gate's instruction to a second request is not the cause of the attempt's failure.
TEST(RetryLoop, WaitsForTheGateOnlyAfterThrottling) {
  struct Case {
    Error error;
    milliseconds waited;
  };
  for (const Case& each :
       {Case{kDown, milliseconds(100)}, Case{{ErrorCode::kRateLimited, "429", 429}, milliseconds(7)}}) {
    Failing failing;
    const auto start = failing.timing.Now();
    const auto result =
        RetryLoop(failing.call, {failing.options, failing.timing}, [&](Attempts& attempts) -> Result<int> {
          attempts.SetGateDelay(milliseconds(7));
          if (++failing.attempts == 1) return each.error;
          return 7;
        });
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(failing.timing.Now() - start, each.waited) << each.error.message;
  }
}

TEST(RetryLoop, StopsAtTheDeadlineAndReportsItsHistory) {
  Failing failing;
  const auto result = failing.Run(1'000, kDown);
  ASSERT_TRUE(testing::FailsWith(result, ErrorCode::kUnavailable));
  EXPECT_EQ(failing.attempts, 13);  // 0.1 + 0.2 + 0.4 + 0.8 + 8 x 1.0 s of waiting; one more would exceed 10 s.
  EXPECT_EQ(
      result.error().message,
      "objects.get gs://b/o: 503 after 13 attempts in 9.5 s (deadline 10.0 s; to wait longer raise "
      "--download_retry_deadline_s, RetryOptions::deadline); check the service's health, or raise the retry deadline");
}

TEST(RetryLoop, ReportsTheWaitForTheBudget) {
  Failing failing;
  RetryBudget budget(0.2);
  for (int i = 0; i < 120; ++i) static_cast<void>(budget.Take(failing.timing.Now()));
  Observer observer;
  failing.options.deadline = seconds(4);
  const RetryRules rules{
      .options = failing.options, .timing = failing.timing, .budget = &budget, .observer = &observer};
  const auto result = RetryLoop(failing.call, rules, [&](Attempts&) -> Result<int> {
    for (int i = 0; i < 10; ++i) static_cast<void>(budget.Take(failing.timing.Now()));  // others fail as well
    return kDown;
  });
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().message,
              ::testing::ContainsRegex("the client's retry budget held it up for [1-9][.0-9]* s and would for another "
                                       "[0-9.]+ s: so many requests fail; raise --download_retry_budget"));
  EXPECT_GE(observer.counters().budget_waits, 1U);
  EXPECT_GE(observer.counters().budget_delay, std::chrono::seconds(1));
}

TEST(RetryLoop, OmitsTheBudgetWithoutAWait) {
  Failing failing;
  RetryBudget budget(0.2);
  Observer observer;
  const RetryRules rules{
      .options = failing.options, .timing = failing.timing, .budget = &budget, .observer = &observer};
  const auto result = RetryLoop(failing.call, rules, [&](Attempts&) -> Result<int> { return kDown; });
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message.find("budget"), std::string::npos) << result.error().message;
  EXPECT_EQ(observer.counters().budget_waits, 0U);
}

TEST(RetryLoop, HidesSecretsOfItsRequests) {
  Failing failing;
  failing.call.secrets.Note("the-token-of-the-call");
  failing.options.max_attempts = 2;
  const auto result = failing.Run(2, {ErrorCode::kUnavailable, "503: you sent the-token-of-the-call", 503});
  EXPECT_THAT(result.error().message, StartsWith("objects.get gs://b/o: 503: you sent [secret] after 2 attempts"));
  EXPECT_EQ(InCall(failing.call, {ErrorCode::kBadResponse, "no JSON: the-token-of-the-call"}).message,
            "objects.get gs://b/o: no JSON: [secret]");
}

TEST(RetryLoop, ReportsEachCauseOnce) {
  Failing failing;
  failing.options.max_attempts = 7;
  const auto result = RetryLoop(failing.call, {failing.options, failing.timing}, [&](Attempts&) -> Result<int> {
    const Error causes[] = {kDown, {ErrorCode::kUnreachable, "refused"}, {ErrorCode::kTruncated, "cut short"}};
    return causes[failing.attempts++ % 3];
  });
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().message,
              StartsWith("objects.get gs://b/o: 503 after 7 attempts in 3.5 s (no attempts left); before: 2 x refused, "
                         "2 x cut short; "));
}

TEST(RetryLoop, StopsAfterMaxAttempts) {
  Failing failing;
  failing.options.max_attempts = 2;
  EXPECT_FALSE(failing.Run(1'000, kDown).ok());
  EXPECT_EQ(failing.attempts, 2);
}

TEST(RetryLoop, RestartsTheDeadlineAfterProgress) {
  Failing failing;
  const auto start = failing.timing.Now();
  int attempts = 0;
  const auto result = RetryLoop(failing.call, {failing.options, failing.timing}, [&](Attempts& history) -> Result<int> {
    if (++attempts == 10) return 7;
    failing.timing.Advance(seconds(3));
    history.NoteProgress();
    return kDown;
  });
  EXPECT_TRUE(result.ok());
  EXPECT_GT(failing.timing.Now() - start, 2 * failing.options.deadline);
}

TEST(RetryLoop, RestartsTheDelaysAfterProgress) {
  const std::vector<int> want_ms = {125, 250, 500, 125, 250};  // After each failure; the fourth one has made progress.
  Failing failing;
  failing.options.initial_delay = milliseconds(125);
  failing.options.jitter = 1;
  std::vector<int> waited_ms;
  auto failed_at = failing.timing.Now();
  const auto result = RetryLoop(failing.call, {failing.options, failing.timing}, [&](Attempts& history) -> Result<int> {
    const auto now = failing.timing.Now();
    if (++failing.attempts > 1) waited_ms.push_back(static_cast<int>((now - failed_at) / milliseconds(1)));
    failed_at = now;
    if (failing.attempts > static_cast<int>(want_ms.size())) return 7;
    if (failing.attempts == 4) history.NoteProgress();
    return kDown;
  });
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(waited_ms, want_ms);
}

TEST(RetryLoop, HonoursRetryAfterAsALowerBound) {
  for (const auto& [wish, waited] : {std::pair(seconds(1), milliseconds(3'000)), {seconds(5), milliseconds(6'000)}}) {
    Failing failing;
    failing.options.initial_delay = failing.options.max_delay = seconds(3);
    Error busy = kDown;
    busy.retry_after = wish;
    const auto start = failing.timing.Now();
    ASSERT_TRUE(failing.Run(1, busy).ok());
    EXPECT_EQ(failing.timing.Now() - start, waited) << wish.count() << " s, spread by up to a fifth";
  }
}

TEST(RetryLoop, RemembersAnAmbiguousAttempt) {
  Failing failing;
  std::vector<bool> was_ambiguous;
  const Error failures[] = {{ErrorCode::kRateLimited, "429", 429}, kDown, {ErrorCode::kRateLimited, "429", 429}};
  const auto result = RetryLoop(failing.call, {failing.options, failing.timing}, [&](Attempts& history) -> Result<int> {
    was_ambiguous.push_back(history.was_ambiguous());
    if (was_ambiguous.size() <= std::size(failures)) return failures[was_ambiguous.size() - 1];
    return 7;
  });
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(was_ambiguous, (std::vector<bool>{false, false, true, true}));
}

TEST(RetryLoop, StartsOverOncePerKindOfFailure) {
  const DrivenTiming timing;
  const Call call{.operation = "objects.get"};
  Attempts attempts(call, {kOptions, timing});
  EXPECT_TRUE(attempts.StartOver({ErrorCode::kUnauthenticated, "401"}));
  EXPECT_FALSE(attempts.StartOver({ErrorCode::kUnauthenticated, "401 again"}));
  EXPECT_TRUE(attempts.StartOver({ErrorCode::kCorrupted, "crc32c"}));
  EXPECT_EQ(attempts.number(), 3);
}

TEST(RetryLoop, IsCancelledWhileItWaits) {
  Failing failing;
  std::stop_source stop;
  failing.call.stop = stop.get_token();
  stop.request_stop();
  EXPECT_TRUE(testing::FailsWith(failing.Run(5, kDown), ErrorCode::kCancelled));
  EXPECT_EQ(failing.attempts, 1);
}

TEST(IsAmbiguous, IsTrueOnlyIfTheRequestMayHaveTakenEffect) {
  EXPECT_TRUE(IsAmbiguous({ErrorCode::kUnavailable}));
  EXPECT_TRUE(IsAmbiguous({ErrorCode::kTruncated}));
  EXPECT_FALSE(IsAmbiguous({ErrorCode::kUnreachable}));
  EXPECT_FALSE(IsAmbiguous({ErrorCode::kRateLimited}));
}

TEST(MayHaveTakenEffect, IsFalseOnlyForRefusalsAndUnsentRequests) {
  for (const int status : {200, 204, 408, 500, 503}) {
    EXPECT_TRUE(MayHaveTakenEffect(HttpResponse{.status = status})) << status;
  }
  for (const int status : {304, 308, 400, 401, 403, 404, 409, 412, 429}) {
    EXPECT_FALSE(MayHaveTakenEffect(HttpResponse{.status = status})) << status;
  }
  for (const ErrorCode code : {ErrorCode::kUnavailable, ErrorCode::kTruncated, ErrorCode::kCancelled,
                               ErrorCode::kBadResponse, ErrorCode::kLocalIo}) {
    EXPECT_TRUE(MayHaveTakenEffect(Error{code})) << ErrorCodeName(code);
  }
  for (const ErrorCode code : {ErrorCode::kUnreachable, ErrorCode::kTlsFailed, ErrorCode::kProxyFailed}) {
    EXPECT_FALSE(MayHaveTakenEffect(Error{code})) << ErrorCodeName(code);
  }
}

TEST(RetryLoop, ReturnsAnExceptionAsAnError) {
  Failing failing;
  const auto result = RetryLoop(failing.call, {failing.options, failing.timing},
                                [](Attempts&) -> Result<int> { throw std::bad_alloc(); });
  EXPECT_TRUE(testing::FailsWith(result, ErrorCode::kLocalIo));
}

}  // namespace
}  // namespace gcsflux::internal
