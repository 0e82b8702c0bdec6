#pragma once

#include <cstddef>

namespace gcsflux::testing {

/// While it lives, one allocation of this thread by operator new fails: the one with this number, from 0, among those
/// of `least` bytes or more. For programs with scarce_memory.cc, which replaces operator new. One for each thread.
class ScarceMemory {
 public:
  ScarceMemory(std::size_t least, int number);
  ~ScarceMemory();
  ScarceMemory(const ScarceMemory&) = delete;
  ScarceMemory& operator=(const ScarceMemory&) = delete;

  [[nodiscard]] static bool has_failed();
};

}  // namespace gcsflux::testing
