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

const Event kCall{
    .operation = "objects.get", .subject = "gs://bkt/o [0, 5)", .bucket = "bkt", .invocation_id = "1234", .attempt = 2};

struct Lines {
  std::vector<std::pair<LogLevel, std::string>> all = {};
  std::shared_ptr<EventListener> At(LogLevel level) {
    return MakeLogger(level, [this](LogLevel of, std::string_view line) { all.emplace_back(of, line); });
  }
};

// An event about kCall.
Event Of(EventKind kind, const Error* error = nullptr, milliseconds duration = {}, std::string_view what = {}) {
  Event event = kCall;
  event.kind = kind;
  event.error = error;
  event.duration = duration;
  event.what = what;
  return event;
}

// One event of each kind.
void TellAll(EventListener& listener) {
  Event request = Of(EventKind::kRequest);
  request.method = "GET";
  request.url = "http://h/o";
  request.status = 206;
  request.bytes_sent = 3;
  request.bytes_received = 5;
  request.first_byte = request.start + milliseconds(11);
  request.end = request.start + milliseconds(12);
  listener.OnEvent(request);
  const Error down{ErrorCode::kUnavailable, "503: down", 503};
  listener.OnEvent(Of(EventKind::kRetry, &down, milliseconds(150)));
  listener.OnEvent(Of(EventKind::kBudget, &down, milliseconds(1700)));
  listener.OnEvent(Of(EventKind::kFailure, &down));
  const Error absent{ErrorCode::kNotFound, "404: absent", 404};
  listener.OnEvent(Of(EventKind::kFailure, &absent));
  Event throttle = Of(EventKind::kThrottle);
  throttle.is_engaged = true;
  throttle.rate = 12.5;
  listener.OnEvent(throttle);
  Event stall = Of(EventKind::kStalledBody, nullptr, milliseconds(900));
  stall.threshold = milliseconds(300);
  listener.OnEvent(stall);
  listener.OnEvent(Of(EventKind::kHedgeWon));
  const Event token{.kind = EventKind::kToken, .duration = milliseconds(7), .what = "service account"};
  listener.OnEvent(token);
  Event failed = token;
  failed.error = &down;
  listener.OnEvent(failed);
  listener.OnEvent(Of(EventKind::kUnverifiedRead));
  listener.OnEvent({.kind = EventKind::kCompositionRefused, .bucket = "bkt", .what = "the caller lacks it"});
  listener.OnEvent({.kind = EventKind::kUnannouncedOrder, .subject = "gs://bkt/n/", .bucket = "bkt", .what = "do so"});
  listener.OnEvent({.kind = EventKind::kCacheUnusable, .subject = "/c", .error = &down});
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
          Pair(LogLevel::kWarning, call + " failed, and is repeated in 150.0 ms: 503: down [invocation 1234]"),
          Pair(LogLevel::kWarning, call + " waits 1700.0 ms longer before it is repeated: many requests fail, and "
                                          "retries must not add to the load (RetryOptions::budget) [invocation 1234]"),
          Pair(LogLevel::kError, "UNAVAILABLE: 503: down [invocation 1234]"),
          Pair(LogLevel::kInfo, "NOT_FOUND: 404: absent [invocation 1234]"),
          Pair(LogLevel::kInfo,
               call +
                   ": the service asks for fewer requests; read requests to this bucket are paced at 12.5 per second "
                   "[invocation 1234]"),
          Pair(LogLevel::kWarning,
               call + ": no byte came for 900.0 ms in the middle of the answer (a stall, from 300.0 ms on) "
                      "[invocation 1234]"),
          Pair(LogLevel::kInfo, call + ": the second request was faster [invocation 1234]"),
          Pair(LogLevel::kInfo, "an access token for service account was fetched in 7.0 ms"),
          Pair(LogLevel::kError, "an access token for service account could not be fetched (7.0 ms): 503: down"),
          Pair(LogLevel::kWarning, call +
                                       ": the service gives no CRC32C, so the bytes are not checked; logged once for "
                                       "gs://bkt [invocation 1234]"),
          Pair(LogLevel::kWarning,
               "small objects of gs://bkt are read one by one, and are not joined into larger temporary objects "
               "first: the caller lacks it"),
          Pair(LogLevel::kWarning,
               "the dataset of gs://bkt/n/ downloads nothing in advance, because it does not know which batches come "
               "next: do so"),
          Pair(LogLevel::kWarning, "the disk cache '/c' keeps nothing more: 503: down")));
}

TEST(Logger, OmitsEventsBelowItsLevel) {
  for (const auto& [level, want] :
       {std::pair(LogLevel::kError, 2U), {LogLevel::kWarning, 9U}, {LogLevel::kInfo, 13U}, {LogLevel::kDebug, 14U}}) {
    Lines lines;
    TellAll(*lines.At(level));
    EXPECT_EQ(lines.all.size(), want) << LogLevelName(level);
    for (const auto& [of, line] : lines.all) EXPECT_LE(of, level) << line;
  }
}

TEST(Logger, LogsBudgetWaitsSeldom) {
  Lines lines;
  const auto logger = lines.At(LogLevel::kWarning);
  for (int i = 0; i < 1000; ++i) logger->OnEvent(Of(EventKind::kBudget, nullptr, milliseconds(5)));
  EXPECT_EQ(lines.all.size(), 10U) << "1, 2, 4 ... 512";
  EXPECT_THAT(lines.all.back().second, HasSubstr("waits 5.0 ms longer before it is repeated, the 512th wait"));
}

TEST(Logger, ReplacesControlCharacters) {
  Lines lines;
  const Error error{ErrorCode::kBadResponse, "<html>\r\n\x1B[31mred\x7F"};
  lines.At(LogLevel::kDebug)->OnEvent(Of(EventKind::kFailure, &error));
  EXPECT_EQ(lines.all.front().second, "BAD_RESPONSE: <html>   [31mred  [invocation 1234]");
}

TEST(Logger, WritesTimeAndLevelToStandardError) {
  ::testing::internal::CaptureStderr();
  TellAll(*MakeLogger(LogLevel::kWarning));
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(text, ::testing::ContainsRegex("20[0-9-]+T[0-9:.]+Z gcsflux warning: objects.get gs://bkt/o"));
  EXPECT_THAT(text, HasSubstr("Z gcsflux error: UNAVAILABLE: 503: down"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 9);
}

TEST(LogLevel, RoundTripsThroughItsName) {
  for (const LogLevel level : {LogLevel::kError, LogLevel::kWarning, LogLevel::kInfo, LogLevel::kDebug}) {
    EXPECT_EQ(ParseLogLevel(LogLevelName(level)), level);
  }
  EXPECT_FALSE(ParseLogLevel("none"));
}

}  // namespace
}  // namespace gcsflux
