#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "gcsflux/events.h"

namespace gcsflux {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

const CallInfo kCall{
    .operation = "objects.get", .subject = "gs://bkt/o [0, 5)", .bucket = "bkt", .invocation_id = "1234", .attempt = 2};

struct Lines {
  std::vector<std::pair<LogLevel, std::string>> all = {};
  std::shared_ptr<EventListener> At(LogLevel level) {
    return MakeLogger(level, [this](LogLevel of, std::string_view line) { all.emplace_back(of, line); });
  }
};

// One event of each kind.
void TellAll(EventListener& listener) {
  const EventTime start;
  listener.OnRequest({.call = kCall,
                      .method = "GET",
                      .url = "http://h/o",
                      .status = 206,
                      .bytes_sent = 3,
                      .bytes_received = 5,
                      .start = start,
                      .first_byte = start + milliseconds(11),
                      .end = start + milliseconds(12)});
  const Error down{ErrorCode::kUnavailable, "503: down", 503};
  listener.OnRetry({.call = kCall, .cause = down, .delay = milliseconds(150)});
  listener.OnBudget({.call = kCall, .held = milliseconds(1700)});
  listener.OnFailure({.call = kCall, .error = down});
  const Error absent{ErrorCode::kNotFound, "404: absent", 404};
  listener.OnFailure({.call = kCall, .error = absent});
  listener.OnThrottle({.call = kCall, .gate_class = GateClass::kRead, .is_engaged = true, .rate = 12.5});
  listener.OnStall({.call = kCall,
                    .phase = StallEvent::Phase::kBody,
                    .stood_still = milliseconds(900),
                    .threshold = milliseconds(300)});
  listener.OnHedge({.call = kCall, .what = HedgeEvent::What::kWon});
  listener.OnTokenRefresh({.credential = "service account", .took = milliseconds(7)});
  listener.OnTokenRefresh({.credential = "service account", .failure = &down, .took = milliseconds(7)});
  listener.OnUnverifiedRead({.call = kCall});
  listener.OnCompositionRefused({.bucket = "bkt", .reason = "the caller lacks it"});
}

TEST(Logger, WritesEachEventAsOneLine) {
  Lines lines;
  TellAll(*lines.At(LogLevel::kDebug));
  const std::string call = "objects.get gs://bkt/o [0, 5) attempt 2";
  EXPECT_THAT(
      lines.all,
      ElementsAre(
          Pair(LogLevel::kDebug, call + ": GET http://h/o 206 in 12.0 ms (first byte 11.0 ms), sent 3 B, received 5 B "
                                        "[invocation 1234]"),
          Pair(LogLevel::kWarning, call + " failed, next in 150.0 ms: 503: down [invocation 1234]"),
          Pair(LogLevel::kWarning, call + " is held up by the retry budget for 1700.0 ms: so many requests fail "
                                          "(RetryOptions::budget) [invocation 1234]"),
          Pair(LogLevel::kError, "UNAVAILABLE: 503: down [invocation 1234]"),
          Pair(LogLevel::kInfo, "NOT_FOUND: 404: absent [invocation 1234]"),
          Pair(LogLevel::kInfo,
               call + " was throttled (read): its gate lets 12.5 requests/s through [invocation 1234]"),
          Pair(LogLevel::kWarning, call + " stalled in its body for 900.0 ms (threshold 300.0 ms) [invocation 1234]"),
          Pair(LogLevel::kInfo, call + ": the second request won [invocation 1234]"),
          Pair(LogLevel::kInfo, "a token for service account came (7.0 ms)"),
          Pair(LogLevel::kError, "a token for service account could not be fetched (7.0 ms): 503: down"),
          Pair(LogLevel::kWarning, call + ": the service gives no CRC32C, so the bytes are not checked; told once for "
                                          "gs://bkt [invocation 1234]"),
          Pair(LogLevel::kWarning,
               "objects of gs://bkt are read directly, not through composites: the caller lacks it")));
}

TEST(Logger, OmitsEventsBelowItsLevel) {
  for (const auto& [level, want] :
       {std::pair(LogLevel::kError, 2U), {LogLevel::kWarning, 7U}, {LogLevel::kInfo, 11U}, {LogLevel::kDebug, 12U}}) {
    Lines lines;
    TellAll(*lines.At(level));
    EXPECT_EQ(lines.all.size(), want) << LogLevelName(level);
    for (const auto& [of, line] : lines.all) EXPECT_LE(of, level) << line;
  }
}

TEST(Logger, LogsBudgetWaitsSeldom) {
  Lines lines;
  const auto logger = lines.At(LogLevel::kWarning);
  for (int i = 0; i < 1000; ++i) logger->OnBudget({.call = kCall, .held = milliseconds(5)});
  EXPECT_EQ(lines.all.size(), 10U) << "1, 2, 4 ... 512";
  EXPECT_THAT(lines.all.back().second, HasSubstr("for 5.0 ms, the 512th time"));
}

TEST(Logger, ReplacesControlCharacters) {
  Lines lines;
  const Error error{ErrorCode::kBadResponse, "<html>\r\n\x1B[31mred\x7F"};
  lines.At(LogLevel::kDebug)->OnFailure({.call = kCall, .error = error});
  EXPECT_EQ(lines.all.front().second, "BAD_RESPONSE: <html>   [31mred  [invocation 1234]");
}

TEST(Logger, WritesTimeAndLevelToStandardError) {
  ::testing::internal::CaptureStderr();
  TellAll(*MakeLogger(LogLevel::kWarning));
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(text, ::testing::ContainsRegex("20[0-9-]+T[0-9:.]+Z gcsflux warning: objects.get gs://bkt/o"));
  EXPECT_THAT(text, HasSubstr("Z gcsflux error: UNAVAILABLE: 503: down"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 7);
}

TEST(LogLevel, RoundTripsThroughItsName) {
  for (const LogLevel level : {LogLevel::kError, LogLevel::kWarning, LogLevel::kInfo, LogLevel::kDebug}) {
    EXPECT_EQ(ParseLogLevel(LogLevelName(level)), level);
  }
  EXPECT_FALSE(ParseLogLevel("none"));
}

}  // namespace
}  // namespace gcsflux
