#pragma once

#include <cstdint>

namespace gcsflux::formats_tests {

/// The most bytes that were allocated at a time since the last call, beyond those that were allocated then. Counts what
/// goes through operator new, which heap_peak.cc replaces. One thread.
std::uint64_t TakeHeapPeak();

}  // namespace gcsflux::formats_tests
