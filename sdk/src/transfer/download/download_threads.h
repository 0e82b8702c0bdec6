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

  [[nodiscard]] std::size_t size() const;
  /// Threads that are at work at the same time, at most.
  [[nodiscard]] std::size_t limit() const;
  /// Threads that are at work now.
  [[nodiscard]] std::size_t busy() const;
  /// Why there are fewer than were asked for.
  [[nodiscard]] std::optional<Error> shortage() const;

  /// Has so many threads work at the same time, and starts those that are missing. Threads above the limit finish what
  /// they do, then wait. After a shortage none is started any more. May be called by the threads themselves.
  void SetLimit(std::size_t limit);

  /// There may be something to do: the workload is asked until it has nothing. To be called whenever it has got
  /// something since.
  void Offer(const std::shared_ptr<Workload>& workload);

 private:
  void Serve(const std::stop_token& stop);
  void ServeOne(std::unique_lock<std::mutex>& lock);
  std::function<void()> TakeOf(const std::shared_ptr<Workload>& workload, std::uint64_t offers);
  void StartUpTo(std::size_t threads);
  [[nodiscard]] bool HasRoom() const { return !workloads_.empty() && busy_ < limit_; }

  mutable std::mutex mutex_;
  std::condition_variable_any work_came_;
  // Guarded by mutex_:
  std::deque<std::shared_ptr<Workload>> workloads_;  // Each once.
  std::size_t limit_ = 0;
  std::size_t busy_ = 0;
  std::size_t size_ = 0;
  std::size_t leaving_ = 0;  // So many threads are to end.
  std::optional<Error> shortage_;

  std::mutex starting_mutex_;
  bool is_ending_ = false;             // Guarded by starting_mutex_, as what follows.
  std::vector<std::jthread> threads_;  // Last: they end before the members that they use.
};

}  // namespace gcsflux::internal
