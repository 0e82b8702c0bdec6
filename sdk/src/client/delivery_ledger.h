#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace gcsflux::internal {

/// Who may fetch ahead of its delivery, and how far. Pure: it knows neither threads nor memory; one thread at a time.
///
/// A consumer asks for its items one after the other, in the order in which it will deliver them. What was admitted and
/// not yet delivered stays within the limit, but for one rule: a consumer that holds nothing is admitted its next item
/// whatever the limit says. So whoever waits for an item waits for the network, never for another consumer. Beyond
/// that room goes to whoever holds least, and one whose item does not fit holds up nobody.
class DeliveryLedger {
 public:
  using Consumer = std::uint64_t;

  explicit DeliveryLedger(std::uint64_t limit) : limit_(limit) {}

  Consumer Join();
  /// The next item of `consumer`, of `bytes`, at least 1. True: it is admitted. False: it waits until one of the calls
  /// below names it, and may not ask again before.
  bool Ask(Consumer consumer, std::uint64_t bytes);
  /// So much of what the consumer was admitted is delivered. Returns who is admitted by that.
  std::vector<Consumer> Deliver(Consumer consumer, std::uint64_t bytes);
  /// Gives back what the consumer holds, and forgets it. Returns who is admitted by that.
  std::vector<Consumer> Leave(Consumer consumer);

  /// Admitted and not delivered, over all consumers.
  [[nodiscard]] std::uint64_t held() const { return held_; }
  /// The most that there were.
  [[nodiscard]] std::uint64_t most_held() const { return most_held_; }
  /// Those of one consumer.
  [[nodiscard]] std::uint64_t held(Consumer consumer) const { return accounts_.at(consumer).held; }

 private:
  struct Account {
    std::uint64_t held = 0;
    std::optional<std::uint64_t> asked = {};
  };
  using Entry = std::map<Consumer, Account>::value_type;

  [[nodiscard]] bool MayHave(const Account& account) const;
  void Admit(Account& account);
  std::vector<Consumer> AdmitWaiting();

  const std::uint64_t limit_;
  std::uint64_t held_ = 0;
  std::uint64_t most_held_ = 0;
  Consumer joined_ = 0;
  std::map<Consumer, Account> accounts_;
};

}  // namespace gcsflux::internal
