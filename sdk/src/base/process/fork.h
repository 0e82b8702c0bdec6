#pragma once

namespace gcsflux::internal {

/// Calls `hook` in each child before fork() returns there. It must be async-signal-safe. At most 8 hooks; each is added
/// once.
void AtForkInChild(void (*hook)());

}  // namespace gcsflux::internal
