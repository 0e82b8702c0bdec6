#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "gcsflux/result.h"

namespace gcsflux::internal {

/// Something that threads are wanted for.
class Workload {
 public:
  virtual ~Workload() = default;
  /// The next thing to do; null where there is none at the moment. Called by several threads at the same time. What it
  /// returns keeps alive what it uses, and throws nothing.
  virtual std::function<void()> Take() = 0;

 private:
  friend class DownloadThreads;
  std::uint64_t offers_ = 0;  // Guarded by DownloadThreads::mutex_.
};

/// Threads that several workloads share, a task of each in turn. Thread-safe; destruction waits for what is running.
class DownloadThreads {
 public:
  /// Where the system starts fewer, those do the work.
  explicit DownloadThreads(std::size_t threads);
  ~DownloadThreads();
  DownloadThreads(const DownloadThreads&) = delete;
  DownloadThreads& operator=(const DownloadThreads&) = delete;

  [[nodiscard]] std::size_t size() const { return threads_.size(); }
  /// Why there are fewer than were asked for.
  [[nodiscard]] const std::optional<Error>& shortage() const { return shortage_; }

  /// There may be something to do: the workload is asked until it has nothing. To be called whenever it has got
  /// something since.
  void Offer(const std::shared_ptr<Workload>& workload);

 private:
  void Serve(const std::stop_token& stop);
  std::function<void()> TakeOf(const std::shared_ptr<Workload>& workload, std::uint64_t offers);

  std::mutex mutex_;
  std::condition_variable_any work_came_;
  std::deque<std::shared_ptr<Workload>> workloads_;  // Each once. Guarded by mutex_.
  std::optional<Error> shortage_;
  std::vector<std::jthread> threads_;  // Last: they end before the members that they use.
};

}  // namespace gcsflux::internal
