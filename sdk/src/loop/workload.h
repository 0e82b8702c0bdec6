#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>

namespace gcsflux::internal {

/// Something that has tasks to be done.
class Workload {
 public:
  virtual ~Workload() = default;
  /// The next task. Null if there is none at the moment. Several threads call it at the same time. The task keeps alive
  /// what it uses, and does not throw.
  virtual std::function<void()> Take() = 0;

 private:
  friend class WorkloadQueue;
  std::uint64_t offers_ = 0;  // Guarded by the queue's owner.
};

/// Workloads that may have tasks, each in its turn. For one thread at a time.
class WorkloadQueue {
 public:
  /// The workload whose turn it is, and how often it had been offered by then.
  struct Turn {
    std::shared_ptr<Workload> workload = {};  ///< Null if there is none.
    std::uint64_t offers = 0;
  };

  [[nodiscard]] bool is_empty() const { return workloads_.empty(); }

  /// The workload may have tasks: it is asked until it has none.
  void Offer(const std::shared_ptr<Workload>& workload) {
    ++workload->offers_;
    if (std::find(workloads_.begin(), workloads_.end(), workload) == workloads_.end()) workloads_.push_back(workload);
  }
  Turn Next() {
    if (workloads_.empty()) return {};
    std::rotate(workloads_.begin(), workloads_.begin() + 1, workloads_.end());
    return {workloads_.back(), workloads_.back()->offers_};
  }
  /// The workload had no task at its turn: it is left out until it is offered again. That may have happened meanwhile.
  void HadNothing(const Turn& turn) {
    if (turn.workload->offers_ == turn.offers) std::erase(workloads_, turn.workload);
  }

 private:
  std::deque<std::shared_ptr<Workload>> workloads_;  // Each once.
};

}  // namespace gcsflux::internal
