#pragma once

#include <stop_token>

namespace gcsflux::cli {

/// Asks to stop when SIGINT or SIGTERM comes, for which the first call prepares the process; the same again ends it at
/// once, and one that is ignored stays so. Commands that have nothing to leave in order do not call it. Thread-safe.
std::stop_token StopOnSignal();

/// The signal that came; 0 where none has.
int ReceivedSignal();

}  // namespace gcsflux::cli
