#pragma once

#include "gcsflux/options.h"
#include "gcsflux/result.h"

namespace gcsflux::bench {

/// The object that a worker process reads repeatedly.
inline constexpr const char* kBucket = "bench";
inline constexpr const char* kObject = "object";

/// The life of a worker: it writes "ready" to standard output, reads "START SECONDS" from standard input (the steady
/// clock's nanoseconds; the duration), reads the object from `threads` threads for that time, and writes one line for
/// each call: "ISSUED ENDED OUTCOME", in microseconds since START, with the letter of CallRecord::Outcome.
Result<void> RunWorker(const ClientOptions& options, int threads);

}  // namespace gcsflux::bench
