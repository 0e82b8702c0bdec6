#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>

#include "gcsflux/client.h"

namespace gcsflux::internal {

/// For work that no event loop may do, because it waits for disks, takes CPU or is user code. Calls `work(index, stop)`
/// for every index below `count`, on at most `threads` threads of its own (at least 1), and returns when all calls have
/// returned. The earliest failure is the result: it asks the others to stop, and indices that have not begun are left
/// out; so does `stop`, then the result is kCancelled. An exception is a failure: kLocalIo. If the system starts fewer
/// threads, those do the work, or the calling thread if there are none, and the client's listener is told. Thread-safe.
Result<void> RunOnThreads(const Client& client, std::size_t count, int threads,
                          const std::function<Result<void>(std::size_t index, const std::stop_token& stop)>& work,
                          const std::stop_token& stop = {});

}  // namespace gcsflux::internal
