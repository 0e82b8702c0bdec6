#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>

#include "events/observer.h"
#include "gcsflux/result.h"

namespace gcsflux::internal {

/// Calls `work(index, stop)` for every index below `count`, on at most `threads` threads of its own, and returns when
/// all calls have returned. The earliest failure is the result: it asks the others to stop, and indices that have not
/// begun are left out; so does `stop`. If the system starts fewer threads, those do the work, or the calling thread if
/// there are none, and `observer` (unless null) is told. Thread-safe.
Result<void> RunOnThreads(std::size_t count, std::size_t threads,
                          const std::function<Result<void>(std::size_t index, const std::stop_token& stop)>& work,
                          const std::stop_token& stop = {}, Observer* observer = nullptr);

}  // namespace gcsflux::internal
