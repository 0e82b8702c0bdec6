#pragma once

#include <stop_token>

namespace gcsflux::cli {

/// The token asks to stop when SIGINT or SIGTERM arrives. The first call installs the handler. A second signal ends the
/// process at once; an ignored signal stays ignored. Commands that have nothing to clean up do not call it.
/// Thread-safe.
std::stop_token StopOnSignal();

/// The signal that arrived; 0 if none has.
int ReceivedSignal();

}  // namespace gcsflux::cli
