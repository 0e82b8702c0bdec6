#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "base/process/start_thread.h"

namespace gcsflux::internal {

/// Calls `work(i)` for each i below `count`, on up to four threads where so many bytes are summed that it pays. Where
/// the system starts no thread, the caller's does it all.
template <class Work>
void ForEachAtOnce(std::size_t count, std::uint64_t bytes, const Work& work) {
  constexpr std::uint64_t kPays = 64 << 20;
  constexpr std::size_t kMostThreads = 4;
  std::atomic<std::size_t> next = 0;
  const auto run = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t wanted = bytes < kPays ? 0 : std::min({cores, kMostThreads, count}) - 1;
  std::vector<std::jthread> others;
  static_cast<void>(StartThreads(others, wanted, run));
  run();
}

}  // namespace gcsflux::internal
