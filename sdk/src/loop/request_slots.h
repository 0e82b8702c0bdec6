#pragma once

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>

#include "loop/event_loops.h"
#include "loop/workload.h"

namespace gcsflux::internal {

/// Has the tasks of several workloads done on event loops: so many at the same time, one of each workload in turn. A
/// task is a fiber, which makes one request after the other. Thread-safe; destruction waits for what is running.
class RequestSlots {
 public:
  /// `loops` outlives it.
  RequestSlots(EventLoops& loops, std::size_t limit);
  ~RequestSlots();
  RequestSlots(const RequestSlots&) = delete;
  RequestSlots& operator=(const RequestSlots&) = delete;

  /// Tasks that run at the same time, at most: as many as were asked for, or as many as the process may still open
  /// connections for.
  [[nodiscard]] std::size_t limit() const;
  /// Tasks that run now.
  [[nodiscard]] std::size_t busy() const;
  /// Why there are fewer than were asked for, or none at all.
  [[nodiscard]] std::optional<Error> shortage() const;
  /// False where there is no loop to run anything.
  [[nodiscard]] bool is_usable() const { return loops_.size() > 0; }

  /// Has so many tasks run at the same time. Those above the limit end what they do. May be called by a task.
  void SetLimit(std::size_t limit);

  /// There may be something to do: the workload is asked until it has nothing. To be called whenever it has got
  /// something since.
  void Offer(const std::shared_ptr<Workload>& workload);

 private:
  void Serve();
  void RunOne(std::unique_lock<std::mutex>& lock, WorkloadQueue::Turn turn);
  void StartAnother();
  [[nodiscard]] bool HasRoom() const { return !queue_.is_empty() && busy_ < limit_ && is_usable(); }

  EventLoops& loops_;
  mutable std::mutex mutex_;
  std::condition_variable idle_;
  // Guarded by mutex_:
  WorkloadQueue queue_;
  std::size_t limit_ = 1;
  std::size_t busy_ = 0;
  std::optional<Error> shortage_;
};

}  // namespace gcsflux::internal
