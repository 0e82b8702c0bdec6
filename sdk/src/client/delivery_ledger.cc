#include "client/delivery_ledger.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace gcsflux::internal {

DeliveryLedger::Consumer DeliveryLedger::Join() {
  accounts_.try_emplace(++joined_);
  return joined_;
}

bool DeliveryLedger::MayHave(const Account& account) const {
  return account.held == 0 || *account.asked <= limit_ - std::min(limit_, held_);
}

void DeliveryLedger::Admit(Account& account) {
  account.held += *account.asked;
  held_ += *account.asked;
  most_held_ = std::max(most_held_, held_);
  account.asked.reset();
}

bool DeliveryLedger::Ask(Consumer consumer, std::uint64_t bytes) {
  // The sizes come from a service and may be wrong: their sum must not overflow.
  constexpr std::uint64_t kMost = std::uint64_t{1} << 50;
  Account& account = accounts_.at(consumer);
  assert(!account.asked && bytes > 0);
  account.asked = std::min(bytes, kMost);
  if (!MayHave(account)) return false;
  Admit(account);
  return true;
}

std::vector<DeliveryLedger::Consumer> DeliveryLedger::Deliver(Consumer consumer, std::uint64_t bytes) {
  Account& account = accounts_.at(consumer);
  const std::uint64_t given_back = std::min(bytes, account.held);
  account.held -= given_back;
  held_ -= given_back;
  return AdmitWaiting();
}

std::vector<DeliveryLedger::Consumer> DeliveryLedger::Leave(Consumer consumer) {
  held_ -= accounts_.at(consumer).held;
  accounts_.erase(consumer);
  return AdmitWaiting();
}

std::vector<DeliveryLedger::Consumer> DeliveryLedger::AdmitWaiting() {
  std::vector<Consumer> admitted;
  while (true) {
    Entry* best = nullptr;
    for (Entry& entry : accounts_) {
      if (!entry.second.asked || !MayHave(entry.second)) continue;
      if (best == nullptr || entry.second.held < best->second.held) best = &entry;
    }
    if (best == nullptr) return admitted;
    Admit(best->second);
    admitted.push_back(best->first);
  }
}

}  // namespace gcsflux::internal
