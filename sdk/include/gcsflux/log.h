#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "gcsflux/events.h"

namespace gcsflux {

enum class LogLevel {
  kError,  ///< Calls that failed for good, and tokens that were not to be had.
  /// What went wrong and is made up for: retries, stalls, times that the retry budget holds up, threads that could not
  /// be started.
  kWarning,
  kInfo,   ///< Throttling, hedges, new tokens, and calls whose failure is an answer (not found, cancelled ...).
  kDebug,  ///< Each request.
};

/// "error", "warning", "info" or "debug".
std::string_view LogLevelName(LogLevel level);

/// The level of that name; nothing where there is none.
std::optional<LogLevel> ParseLogLevel(std::string_view name);

/// Takes one line, without its end; called from several threads at once.
using LogSink = std::function<void(LogLevel level, std::string_view line)>;

/// A listener for ClientOptions::event_listener that writes a line for each event of `level` and of those above it:
/// operation, object, attempt, what happened, how long it took, and the invocation id where the service has one. No
/// line holds a secret or a control character.
///
/// Without a sink, lines go to standard error, after the time and the level, each in one piece.
std::shared_ptr<EventListener> MakeLogger(LogLevel level, LogSink sink = {});

}  // namespace gcsflux
