#pragma once

#include <cstdint>

namespace gcsflux::formats_tests {

/// The peak of allocated bytes since the last call, beyond those allocated then. Counts operator new, which
/// heap_peak.cc replaces. One thread.
std::uint64_t TakeHeapPeak();

}  // namespace gcsflux::formats_tests
