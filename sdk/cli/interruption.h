#pragma once

#include <stop_token>

namespace gcsflux::cli {

/// Asks to stop when SIGINT or SIGTERM comes, for which the first call prepares the process; a second signal ends it at
/// once. Commands that have nothing to leave in order do not call it. Thread-safe.
std::stop_token StopOnSignal();

/// The signal that came; 0 where none has.
int ReceivedSignal();

}  // namespace gcsflux::cli
