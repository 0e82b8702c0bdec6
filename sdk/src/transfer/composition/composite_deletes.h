#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "base/process/mutex.h"
#include "transfer/composition/composite.h"
#include "transfer/composition/due_tasks.h"
#include "transfer/composition/fetch_estimates.h"
#include "transfer/composition/live_composites.h"

namespace gcsflux::internal {

/// Deletes composites in the background, as soon as the service allows it: GCS accepts one change of an object per
/// second, and its creation was one. Thread-safe.
class CompositeDeletes : public std::enable_shared_from_this<CompositeDeletes> {
 public:
  CompositeDeletes(Client client, CallOptions call, std::shared_ptr<DueTasks> tasks, LiveComposites& live,
                   FetchEstimates& estimates)
      : client_(std::move(client)),
        call_(std::move(call)),
        tasks_(std::move(tasks)),
        live_(live),
        estimates_(estimates) {}
  /// Deletes a composite that is no longer needed and was made at `made`. Also for a compose that failed or was
  /// cancelled: the composite may exist, or may appear later.
  void Add(const Composite& composite, DueTasks::Clock::time_point made);

  [[nodiscard]] std::uint64_t deleted() const { return deleted_; }
  /// Why a composite was left behind. Empty if none was.
  [[nodiscard]] std::string last_failure() const;

 private:
  struct Pending {
    Composite composite;
    DueTasks::Clock::time_point made;
    int tries = 0;
  };
  void Post(Pending pending, DueTasks::Clock::time_point due);
  void Try(Pending pending, const std::stop_token& stop);
  void Forget(const Composite& composite);
  void GiveUp(const Error& error);

  const Client client_;
  const CallOptions call_;
  const std::shared_ptr<DueTasks> tasks_;
  LiveComposites& live_;
  FetchEstimates& estimates_;
  std::atomic<bool> waits_first_ = false;  // The service has refused to delete a composite directly after its creation.
  std::atomic<std::uint64_t> deleted_ = 0;

  mutable Mutex mutex_;
  std::string last_failure_ GUARDED_BY(mutex_);
};

}  // namespace gcsflux::internal
