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

std::string About(const CallInfo& call) {
  return std::string(call.operation) + " " + std::string(call.subject) + " attempt " + std::to_string(call.attempt);
}

std::string Id(const CallInfo& call) {
  return call.invocation_id.empty() ? "" : " [invocation " + std::string(call.invocation_id) + "]";
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

  void OnRequest(const RequestEvent& event) override {
    if (!IsWanted(LogLevel::kDebug)) return;
    std::string line = About(event.call) + ": " + std::string(event.method) + " " + std::string(event.url) + " ";
    line += event.failure ? std::string(ErrorCodeName(*event.failure)) : std::to_string(event.status);
    line += " in " + Milliseconds(event.end - event.start);
    if (event.first_byte) line += " (first byte " + Milliseconds(*event.first_byte - event.start) + ")";
    line +=
        ", sent " + std::to_string(event.bytes_sent) + " B, received " + std::to_string(event.bytes_received) + " B";
    Write(LogLevel::kDebug, line + Id(event.call));
  }

  void OnRetry(const RetryEvent& event) override {
    Write(LogLevel::kWarning, About(event.call) + " failed, next in " + Milliseconds(event.delay) + ": " +
                                  event.cause.message + Id(event.call));
  }

  void OnFailure(const FailureEvent& event) override {
    const LogLevel level = IsAnswer(event.error.code) ? LogLevel::kInfo : LogLevel::kError;
    Write(level, std::string(ErrorCodeName(event.error.code)) + ": " + event.error.message + Id(event.call));
  }

  // At the first, second, fourth ... one, because a budget that delays retries delays many.
  void OnBudget(const BudgetEvent& event) override {
    const std::uint64_t times = budget_waits_.fetch_add(1, std::memory_order_relaxed) + 1;
    if (!std::has_single_bit(times)) return;
    const std::string times_text = times == 1 ? "" : ", the " + std::to_string(times) + "th time";
    Write(LogLevel::kWarning, About(event.call) + " is held up by the retry budget for " + Milliseconds(event.held) +
                                  times_text + ": so many requests fail (RetryOptions::budget)" + Id(event.call));
  }

  void OnThrottle(const ThrottleEvent& event) override {
    const std::string gate = event.is_engaged ? "its gate lets " + Number(event.rate) + " requests/s through"
                                              : std::string("no gate is engaged");
    Write(LogLevel::kInfo, About(event.call) + " was throttled (" + std::string(GateClassName(event.gate_class)) +
                               "): " + gate + Id(event.call));
  }

  void OnStall(const StallEvent& event) override {
    const bool is_head = event.phase == StallEvent::Phase::kFirstByte;
    Write(LogLevel::kWarning, About(event.call) + " stalled " + (is_head ? "before its first byte" : "in its body") +
                                  " for " + Milliseconds(event.stood_still) + " (threshold " +
                                  Milliseconds(event.threshold) + ")" + Id(event.call));
  }

  void OnHedge(const HedgeEvent& event) override {
    const char* what = event.what == HedgeEvent::What::kSent  ? " was hedged by a second request"
                       : event.what == HedgeEvent::What::kWon ? ": the second request won"
                                                              : ": the second request lost";
    Write(LogLevel::kInfo, About(event.call) + what + Id(event.call));
  }

  void OnTokenRefresh(const TokenEvent& event) override {
    const std::string who = "a token for " + std::string(event.credential);
    const std::string took = " (" + Milliseconds(event.took) + ")";
    if (event.failure == nullptr) return Write(LogLevel::kInfo, who + " came" + took);
    Write(LogLevel::kError, who + " could not be fetched" + took + ": " + event.failure->message);
  }

  void OnUnverifiedRead(const UnverifiedReadEvent& event) override {
    Write(LogLevel::kWarning, About(event.call) +
                                  ": the service gives no CRC32C, so the bytes are not checked; told once for gs://" +
                                  std::string(event.call.bucket) + Id(event.call));
  }

  void OnThreadShortage(const ThreadShortageEvent& event) override {
    Write(LogLevel::kWarning,
          std::to_string(event.started) + " of " + std::to_string(event.wanted) + " " + std::string(event.of_what) +
              (event.of_what == "threads" ? " could be started: " : " are possible: ") + event.cause.message);
  }

  void OnCompositionRefused(const CompositionRefusedEvent& event) override {
    Write(LogLevel::kWarning, "objects of gs://" + std::string(event.bucket) +
                                  " are read directly, not through composites: " + std::string(event.reason));
  }

 private:
  [[nodiscard]] bool IsWanted(LogLevel level) const { return level <= level_; }

  void Write(LogLevel level, std::string line) const {
    if (!IsWanted(level)) return;
    line = internal::Printable(std::move(line), ' ');
    if (sink_) return sink_(level, line);
    WriteToStandardError(level, line);
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
