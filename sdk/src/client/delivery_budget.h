#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "base/process/mutex.h"
#include "client/delivery_ledger.h"

namespace gcsflux::internal {

/// Limits the bytes that all users of a client have fetched and not yet delivered: a DeliveryLedger for many threads.
/// Thread-safe.
class DeliveryBudget {
 public:
  using Consumer = DeliveryLedger::Consumer;

  explicit DeliveryBudget(std::uint64_t limit) : ledger_(limit) {}

  /// `on_admitted` is called when a waiting item is admitted. The thread that made room calls it, without a lock. It
  /// may be called once more while the consumer leaves.
  Consumer Join(std::function<void()> on_admitted);
  /// As in DeliveryLedger.
  bool Ask(Consumer consumer, std::uint64_t bytes);
  void Deliver(Consumer consumer, std::uint64_t bytes);
  void Leave(Consumer consumer);

  [[nodiscard]] std::uint64_t held() const;
  [[nodiscard]] std::uint64_t most_held() const;

 private:
  using Callbacks = std::vector<std::function<void()>>;
  Callbacks CallbacksOf(const std::vector<Consumer>& admitted) const REQUIRES(mutex_);

  mutable LeafMutex mutex_;
  DeliveryLedger ledger_ GUARDED_BY(mutex_);
  std::map<Consumer, std::function<void()>> on_admitted_ GUARDED_BY(mutex_) = {};
};

}  // namespace gcsflux::internal
