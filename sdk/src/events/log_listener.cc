#include <array>
#include <atomic>
#include <bit>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <string>
#include <utility>

#include "base/text/printable.h"
#include "base/text/rfc3339.h"
#include "gcsflux/events.h"

namespace gcsflux {
namespace {

std::string Milliseconds(std::chrono::nanoseconds duration) {
  std::array<char, 32> text{};
  const double milliseconds = std::chrono::duration<double, std::milli>(duration).count();
  const auto end = std::to_chars(text.data(), text.data() + text.size(), milliseconds, std::chars_format::fixed, 1).ptr;
  return std::string(text.data(), end) + " ms";
}

std::string Number(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, 1).ptr;
  return {text.data(), end};
}

std::string About(const Event& event) {
  return std::string(event.operation) + " " + std::string(event.subject) + " attempt " + std::to_string(event.attempt);
}

std::string Of(const Event& request) {
  std::string line = ": " + std::string(request.method) + " " + std::string(request.url) + " ";
  line += request.failure ? std::string(ErrorCodeName(*request.failure)) : std::to_string(request.status);
  line += " in " + Milliseconds(request.end - request.start);
  if (request.first_byte) line += " (first byte " + Milliseconds(*request.first_byte - request.start) + ")";
  return line + ", sent " + std::to_string(request.bytes_sent) + " B, received " +
         std::to_string(request.bytes_received) + " B";
}

// Failures that are answers to a program's question.
bool IsAnswer(ErrorCode code) {
  switch (code) {
    case ErrorCode::kNotFound:
    case ErrorCode::kAlreadyExists:
    case ErrorCode::kBucketNotEmpty:
    case ErrorCode::kPreconditionFailed:
    case ErrorCode::kNotModified:
    case ErrorCode::kOutOfRange:
    case ErrorCode::kCancelled: return true;
    default: return false;
  }
}

void WriteToStandardError(LogLevel level, std::string_view line) {
  std::string text = internal::FormatRfc3339(std::chrono::system_clock::now());
  text += " gcsflux " + std::string(LogLevelName(level)) + ": " + std::string(line) + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
}

class Logger : public EventListener {
 public:
  Logger(LogLevel level, LogSink sink) : level_(level), sink_(std::move(sink)) {}

  void OnEvent(const Event& event) override {
    const LogLevel level = LevelOf(event);
    if (level > level_) return;
    // The first, second, fourth ... one, because a budget that delays retries delays many.
    const std::uint64_t times = event.kind == EventKind::kBudget ? ++budget_waits_ : 1;
    if (!std::has_single_bit(times)) return;
    std::string line = TextOf(event, times);
    if (!event.invocation_id.empty()) line += " [invocation " + std::string(event.invocation_id) + "]";
    line = internal::Printable(std::move(line), ' ');
    if (sink_) return sink_(level, line);
    WriteToStandardError(level, line);
  }

 private:
  static LogLevel LevelOf(const Event& event) {
    switch (event.kind) {
      case EventKind::kRequest: return LogLevel::kDebug;
      case EventKind::kFailure: return IsAnswer(event.error->code) ? LogLevel::kInfo : LogLevel::kError;
      case EventKind::kToken: return event.error == nullptr ? LogLevel::kInfo : LogLevel::kError;
      case EventKind::kThrottle:
      case EventKind::kHedgeSent:
      case EventKind::kHedgeWon:
      case EventKind::kHedgeLost: return LogLevel::kInfo;
      default: return LogLevel::kWarning;
    }
  }

  static std::string TextOf(const Event& event, std::uint64_t times) {
    const std::string what(event.what);
    const std::string duration = Milliseconds(event.duration);
    const auto stalled = [&](const char* where) {
      return About(event) + ": no byte came for " + duration + " " + where + " (a stall, from " +
             Milliseconds(event.threshold) + " on)";
    };
    switch (event.kind) {
      case EventKind::kRequest: return About(event) + Of(event);
      case EventKind::kRetry:
        return About(event) + " failed, and is repeated in " + duration + ": " + event.error->message;
      case EventKind::kBudget:
        return About(event) + " waits " + duration + " longer before it is repeated" +
               (times == 1 ? "" : ", the " + std::to_string(times) + "th wait") +
               ": many requests fail, and retries must not add to the load (RetryOptions::budget)";
      case EventKind::kFailure: return std::string(ErrorCodeName(event.error->code)) + ": " + event.error->message;
      case EventKind::kThrottle:
        return About(event) + ": the service asks for fewer requests; " + std::string(GateClassName(event.gate_class)) +
               " requests to this bucket are " +
               (event.is_engaged ? "paced at " + Number(event.rate) + " per second" : "not paced");
      case EventKind::kStalledFirstByte: return stalled("since the request was sent");
      case EventKind::kStalledBody: return stalled("in the middle of the answer");
      case EventKind::kHedgeSent: return About(event) + " is slow: the same request was sent a second time";
      case EventKind::kHedgeWon: return About(event) + ": the second request was faster";
      case EventKind::kHedgeLost: return About(event) + ": the first request was faster, the second is cancelled";
      case EventKind::kToken:
        return "an access token for " + what +
               (event.error == nullptr ? " was fetched in " + duration
                                       : " could not be fetched (" + duration + "): " + event.error->message);
      case EventKind::kUnverifiedRead:
        return About(event) + ": the service gives no CRC32C, so the bytes are not checked; logged once for gs://" +
               std::string(event.bucket);
      case EventKind::kThreadShortage:
        return std::to_string(event.started) + " of " + std::to_string(event.wanted) + " " + what +
               (what == "threads" ? " could be started: " : " are possible: ") + event.error->message;
      case EventKind::kUnannouncedOrder:
        return "the dataset of " + std::string(event.subject) +
               " downloads nothing in advance, because it does not know which batches come next: " + what;
      case EventKind::kCacheUnusable:
        return "the disk cache '" + std::string(event.subject) + "' keeps nothing more: " + event.error->message;
      case EventKind::kCompositionRefused: break;
    }
    return "small objects of gs://" + std::string(event.bucket) +
           " are read one by one, and are not joined into larger temporary objects first: " + what;
  }

  const LogLevel level_;
  const LogSink sink_;
  std::atomic<std::uint64_t> budget_waits_ = 0;
};

constexpr LogLevel kLevels[] = {LogLevel::kError, LogLevel::kWarning, LogLevel::kInfo, LogLevel::kDebug};

}  // namespace

std::string_view LogLevelName(LogLevel level) {
  switch (level) {
    case LogLevel::kError: return "error";
    case LogLevel::kWarning: return "warning";
    case LogLevel::kInfo: return "info";
    case LogLevel::kDebug: break;
  }
  return "debug";
}

std::optional<LogLevel> ParseLogLevel(std::string_view name) {
  for (const LogLevel level : kLevels) {
    if (LogLevelName(level) == name) return level;
  }
  return std::nullopt;
}

std::shared_ptr<EventListener> MakeLogger(LogLevel level, LogSink sink) {
  return std::make_shared<Logger>(level, std::move(sink));
}

}  // namespace gcsflux
