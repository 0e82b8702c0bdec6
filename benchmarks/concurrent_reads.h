#pragma once

#include <benchmark/benchmark.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "process_cpu.h"

namespace gcsflux::bench {

/// Reads an object into the buffer of one of the threads; false if that fails. `index` counts the thread's reads.
using ReadOnce = std::function<bool(std::size_t thread, int index, std::span<std::byte> buffer)>;

/// One iteration: `threads` threads read `reads_per_thread` objects each on average; they share one counter, so that
/// all are busy until the end. Counts items, bytes and `cpu_us`, this process's CPU per read. A first, untimed round
/// opens the connections. The last read of each thread is compared with `content` outside the timed part.
inline void ReadConcurrently(benchmark::State& state, std::size_t threads, int reads_per_thread,
                             const std::string& content, const ReadOnce& read) {
  std::vector<std::string> buffers(threads, std::string(content.size(), ' '));
  std::atomic<int> failures = 0;
  const auto read_by_all = [&](auto has_next) {
    std::vector<std::jthread> workers;
    for (std::size_t t = 0; t < threads; ++t) {
      workers.emplace_back([&, t] {
        for (int i = 0; has_next(i); ++i) {
          if (!read(t, i, std::as_writable_bytes(std::span(buffers[t])))) ++failures;
        }
      });
    }
  };
  read_by_all([](int i) { return i < 1; });
  const int total = static_cast<int>(threads) * reads_per_thread;
  double cpu = 0;
  for (auto _ : state) {
    const double before = ProcessCpuSeconds();
    std::atomic<int> taken = 0;
    read_by_all([&](int) { return taken.fetch_add(1, std::memory_order_relaxed) < total; });
    cpu += ProcessCpuSeconds() - before;
  }
  for (const std::string& buffer : buffers) failures += buffer != content;
  if (failures > 0) state.SkipWithError("a read failed or gave other bytes");
  const auto reads = state.iterations() * static_cast<std::int64_t>(total);
  state.SetItemsProcessed(reads);
  state.SetBytesProcessed(reads * static_cast<std::int64_t>(content.size()));
  state.counters["cpu_us"] = cpu * 1e6 / static_cast<double>(reads);
}

}  // namespace gcsflux::bench
