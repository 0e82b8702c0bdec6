#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace gcsflux::internal {

/// Decides which consumer may fetch ahead, and how far. Pure: it knows neither threads nor memory. For one thread at a
/// time.
///
/// A consumer asks for its items one after the other, in the order in which it will deliver them. The items that are
/// admitted and not yet delivered stay within the limit, with one exception: a consumer that holds nothing is always
/// admitted its next item. So a consumer that waits for an item waits for the network, never for another consumer.
/// Other room goes to the consumer that holds least. An item that does not fit does not block the other consumers.
class DeliveryLedger {
 public:
  using Consumer = std::uint64_t;

  explicit DeliveryLedger(std::uint64_t limit) : limit_(limit) {}

  Consumer Join();
  /// Asks for the next item of `consumer`, of at least 1 byte. True: it is admitted. False: it waits until one of the
  /// calls below returns the consumer, which must not ask again before.
  bool Ask(Consumer consumer, std::uint64_t bytes);
  /// The consumer has delivered this many of its admitted bytes. Returns the consumers that are admitted now.
  std::vector<Consumer> Deliver(Consumer consumer, std::uint64_t bytes);
  /// Gives back what the consumer holds, and removes it. Returns the consumers that are admitted now.
  std::vector<Consumer> Leave(Consumer consumer);

  /// Bytes admitted and not delivered, over all consumers.
  [[nodiscard]] std::uint64_t held() const { return held_; }
  /// The highest value of held().
  [[nodiscard]] std::uint64_t most_held() const { return most_held_; }
  /// The bytes that one consumer holds.
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
