#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "gcsflux/events.h"

namespace gcsflux {

enum class LogLevel {
  kError,  ///< Calls that failed for good, and tokens that could not be fetched.
  /// Failures that the client handles: retries, stalls, delays by the retry budget, threads that could not be started.
  kWarning,
  kInfo,   ///< Throttling, hedges, new tokens, and calls whose failure is an answer (not found, cancelled ...).
  kDebug,  ///< Each request.
};

/// "error", "warning", "info" or "debug".
std::string_view LogLevelName(LogLevel level);

/// The level of that name. Nothing if there is none.
std::optional<LogLevel> ParseLogLevel(std::string_view name);

/// Takes one line, without its line end. Several threads call it at the same time.
using LogSink = std::function<void(LogLevel level, std::string_view line)>;

/// A listener for ClientOptions::event_listener that writes a line for each event of `level` and of the levels above
/// it. A line tells the operation, the object, the attempt, what happened, how long it took, and the invocation id if
/// the service knows it. No line contains a secret or a control character.
///
/// Without a sink, lines go to standard error, with the time and the level first, each as one write.
std::shared_ptr<EventListener> MakeLogger(LogLevel level, LogSink sink = {});

}  // namespace gcsflux
