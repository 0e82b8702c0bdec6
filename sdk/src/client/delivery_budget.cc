#include "client/delivery_budget.h"

#include <utility>

namespace gcsflux::internal {

DeliveryBudget::Consumer DeliveryBudget::Join(std::function<void()> on_admitted) {
  const MutexLock lock(mutex_);
  const Consumer consumer = ledger_.Join();
  on_admitted_.emplace(consumer, std::move(on_admitted));
  return consumer;
}

bool DeliveryBudget::Ask(Consumer consumer, std::uint64_t bytes) {
  const MutexLock lock(mutex_);
  return ledger_.Ask(consumer, bytes);
}

void DeliveryBudget::Deliver(Consumer consumer, std::uint64_t bytes) {
  Callbacks callbacks;
  {
    const MutexLock lock(mutex_);
    callbacks = CallbacksOf(ledger_.Deliver(consumer, bytes));
  }
  for (const auto& call : callbacks) call();
}

void DeliveryBudget::Leave(Consumer consumer) {
  Callbacks callbacks;
  {
    const MutexLock lock(mutex_);
    on_admitted_.erase(consumer);
    callbacks = CallbacksOf(ledger_.Leave(consumer));
  }
  for (const auto& call : callbacks) call();
}

std::uint64_t DeliveryBudget::held() const {
  const MutexLock lock(mutex_);
  return ledger_.held();
}

std::uint64_t DeliveryBudget::most_held() const {
  const MutexLock lock(mutex_);
  return ledger_.most_held();
}

DeliveryBudget::Callbacks DeliveryBudget::CallbacksOf(const std::vector<Consumer>& admitted) const {
  Callbacks callbacks;
  for (const Consumer consumer : admitted) callbacks.push_back(on_admitted_.at(consumer));
  return callbacks;
}

}  // namespace gcsflux::internal
