#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>

#include "gcsflux/client.h"

namespace gcsflux {

/// Calls `work(index, stop)` for every index below `count`, on at most `max_concurrency` threads of its own, and
/// returns when all calls have returned. For many calls of a Client that have no function of their own here, such as
/// deletions.
///
/// The earliest failure is the result. It asks the other calls to stop, and indices that have not begun are left out;
/// so does `stop`, then the result is kCancelled. An exception of `work` is a failure: kLocalIo. If the system starts
/// fewer threads, those do the work, or the calling thread if there are none, and the client's listener is told.
/// Thread-safe.
Result<void> RunConcurrently(const Client& client, std::size_t count, int max_concurrency,
                             const std::function<Result<void>(std::size_t index, const std::stop_token& stop)>& work,
                             const std::stop_token& stop = {});

}  // namespace gcsflux
