#pragma once

#include <functional>
#include <vector>

#include "loop/event_loops.h"

namespace gcsflux::internal {

/// Runs a few tasks on the loops at the same time, and waits for all of them. For a fiber or a thread, which runs the
/// first task itself. If there are no loops or no memory, it runs the others after it. If tasks throw, all others still
/// run, and it throws the first exception.
void RunAtOnce(EventLoops& loops, const std::vector<std::function<void()>>& tasks);

}  // namespace gcsflux::internal
