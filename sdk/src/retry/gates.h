#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/process/mutex.h"
#include "base/timing.h"
#include "retry/gate_keeper.h"
#include "retry/operation_kind.h"

namespace gcsflux::internal {

/// A client's gates, one for each bucket and class, made at their first use. Thread-safe.
class Gates {
 public:
  /// `timing` must outlive it.
  explicit Gates(const Timing& timing) : timing_(timing) {}

  /// Lives as long as this does.
  GateKeeper& For(const std::string& bucket, GateClass of);

  /// The state of all of them, by bucket and class.
  [[nodiscard]] std::vector<GateStatus> status() const;

  /// A place in the queue, for all gates and attempts of a call: behind all earlier ones.
  Gate::Ticket NewTicket() { return last_ticket_.fetch_add(1, std::memory_order_relaxed) + 1; }

 private:
  const Timing& timing_;
  std::atomic<Gate::Ticket> last_ticket_ = 0;
  mutable LeafMutex mutex_;
  std::map<std::pair<std::string, GateClass>, std::unique_ptr<GateKeeper>> gates_ GUARDED_BY(mutex_);
};

}  // namespace gcsflux::internal
