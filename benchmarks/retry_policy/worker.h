#pragma once

#include "gcsflux/options.h"
#include "gcsflux/result.h"

namespace gcsflux::bench {

/// What a worker process reads, over and over.
inline constexpr const char* kBucket = "bench";
inline constexpr const char* kObject = "object";

/// A worker's life: it says "ready" on standard output, reads "START SECONDS" from standard input (the steady clock's
/// nanoseconds; how long), reads the object from `threads` threads meanwhile, and writes one line for each call:
/// "ISSUED ENDED OUTCOME", in microseconds since START, with the letter of CallRecord::Outcome.
Result<void> RunWorker(const ClientOptions& options, int threads);

}  // namespace gcsflux::bench
