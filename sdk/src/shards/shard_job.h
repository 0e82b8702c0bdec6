#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>

#include "base/process/mutex.h"
#include "gcsflux/shards.h"
#include "transfer/threads/run_on_threads.h"

namespace gcsflux::internal {

/// Work on many shards at the same time: its threads, its progress and its report.
class ShardJob {
 public:
  ShardJob(const Client& client, const ShardOptions& options) : client_(client), options_(options) {}

  /// Calls `one` for each shard, up to max_shards at the same time, and sums up what it reports. The first failure ends
  /// the others. `bytes` is the end of the progress.
  Result<ShardReport> Run(
      std::size_t shards, std::uint64_t bytes,
      const std::function<Result<ShardReport>(std::size_t shard, const std::stop_token& stop)>& one) {
    total_ = bytes;
    const auto note = [&](std::size_t shard, const std::stop_token& stop) -> Result<void> {
      const auto done = one(shard, stop);
      if (!done) return done.error();
      Add(*done);
      return {};
    };
    if (auto ran = RunOnThreads(client_, shards, options_.max_shards, note, options_.stop); !ran) return ran.error();
    const MutexLock lock(mutex_);
    return report_;
  }

  /// Of `one`: so many more bytes have passed.
  void Pass(std::uint64_t bytes) {
    const std::uint64_t done = passed_ += bytes;
    if (options_.on_progress) options_.on_progress({done, total_});
  }

 private:
  void Add(const ShardReport& one) {
    const MutexLock lock(mutex_);
    report_.shards += one.shards;
    report_.kept += one.kept;
    report_.samples += one.samples;
    report_.members += one.members;
    report_.bytes += one.bytes;
  }

  const Client& client_;
  const ShardOptions& options_;
  std::uint64_t total_ = 0;
  std::atomic<std::uint64_t> passed_ = 0;
  Mutex mutex_;
  ShardReport report_ GUARDED_BY(mutex_);
};

}  // namespace gcsflux::internal
