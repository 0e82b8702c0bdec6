#pragma once

#include <cstddef>
#include <cstdint>

// For programs with watched_memory.cc, which replaces operator new.
namespace gcsflux::testing {

/// How often the process has called operator new.
[[nodiscard]] std::uint64_t Allocations();

/// While it exists, one allocation of this thread by operator new fails: the one with this number, from 0, among those
/// of at least `least` bytes. One for each thread.
class ScarceMemory {
 public:
  ScarceMemory(std::size_t least, int number);
  ~ScarceMemory();
  ScarceMemory(const ScarceMemory&) = delete;
  ScarceMemory& operator=(const ScarceMemory&) = delete;

  [[nodiscard]] static bool has_failed();
};

}  // namespace gcsflux::testing
