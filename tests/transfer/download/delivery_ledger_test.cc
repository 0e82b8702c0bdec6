#include "client/delivery_ledger.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <random>

namespace gcsflux::internal {
namespace {

TEST(DeliveryLedger, AdmitsUpToTheLimit) {
  DeliveryLedger ledger(100);
  const auto consumer = ledger.Join();
  EXPECT_TRUE(ledger.Ask(consumer, 60));
  EXPECT_TRUE(ledger.Ask(consumer, 40));
  EXPECT_FALSE(ledger.Ask(consumer, 1));
  EXPECT_EQ(ledger.held(), 100U);
  EXPECT_EQ(ledger.Deliver(consumer, 60), std::vector{consumer});
  EXPECT_EQ(ledger.held(), 41U);
}

TEST(DeliveryLedger, AdmitsAnItemOfAConsumerThatHoldsNone) {
  DeliveryLedger ledger(100);
  const auto one = ledger.Join();
  const auto other = ledger.Join();
  EXPECT_TRUE(ledger.Ask(one, 1'000)) << "larger than the limit";
  EXPECT_TRUE(ledger.Ask(other, 1'000));
  EXPECT_FALSE(ledger.Ask(one, 1));
  EXPECT_FALSE(ledger.Ask(other, 1'000));
  EXPECT_TRUE(ledger.Deliver(other, 999).empty()) << "it still holds a byte";
  EXPECT_EQ(ledger.Deliver(other, 1), std::vector{other});
}

TEST(DeliveryLedger, PrefersTheConsumerThatHoldsLeast) {
  DeliveryLedger ledger(100);
  const auto rich = ledger.Join();
  const auto poor = ledger.Join();
  EXPECT_TRUE(ledger.Ask(rich, 50));
  EXPECT_TRUE(ledger.Ask(rich, 40));
  EXPECT_TRUE(ledger.Ask(poor, 10));
  EXPECT_FALSE(ledger.Ask(rich, 20));
  EXPECT_FALSE(ledger.Ask(poor, 20));
  EXPECT_EQ(ledger.Deliver(rich, 25), std::vector{poor});
}

TEST(DeliveryLedger, SkipsAnItemThatDoesNotFit) {
  DeliveryLedger ledger(100);
  const auto waits = ledger.Join();
  const auto goes_on = ledger.Join();
  EXPECT_TRUE(ledger.Ask(waits, 1));
  EXPECT_FALSE(ledger.Ask(waits, 100));
  EXPECT_TRUE(ledger.Ask(goes_on, 99));
}

TEST(DeliveryLedger, ReleasesTheBytesOfALeavingConsumer) {
  DeliveryLedger ledger(100);
  const auto leaves = ledger.Join();
  const auto stays = ledger.Join();
  EXPECT_TRUE(ledger.Ask(leaves, 100));
  EXPECT_TRUE(ledger.Ask(stays, 10));
  EXPECT_FALSE(ledger.Ask(stays, 20));
  EXPECT_EQ(ledger.Leave(leaves), std::vector{stays});
  EXPECT_EQ(ledger.held(), 30U);
}

TEST(DeliveryLedger, DoesNotOverflowForFalseSizes) {
  DeliveryLedger ledger(100);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(ledger.Ask(ledger.Join(), ~std::uint64_t{0}));
  const auto another = ledger.Join();
  EXPECT_TRUE(ledger.Ask(another, 1));
  EXPECT_FALSE(ledger.Ask(another, 1));
}

// Consumers of random items; each delivers its admitted items in order and requests more: in any order of events, each
// one's next item is admitted, and beyond these items the limit holds.
class RandomConsumers {
 public:
  explicit RandomConsumers(unsigned seed) : random_(seed), limit_(Pick(1, 1'000)), ledger_(limit_) {
    const std::uint64_t count = Pick(1, 6);
    for (std::uint64_t i = 0; i < count; ++i) {
      auto& consumer = consumers_[ledger_.Join()];
      for (std::uint64_t items = Pick(0, 60); items > 0; --items) consumer.to_ask.push_back(Pick(1, Pick(1, 2'000)));
    }
  }

  void Run() {
    while (!consumers_.empty()) {
      for (auto& [id, consumer] : consumers_) AskAll(id, consumer);
      ASSERT_NO_FATAL_FAILURE(Check());
      auto chosen = consumers_.begin();
      std::advance(chosen, Pick(0, consumers_.size() - 1));
      ASSERT_NO_FATAL_FAILURE(Step(chosen->first, chosen->second));
    }
    EXPECT_EQ(ledger_.held(), 0U);
  }

 private:
  struct Consumer {
    std::deque<std::uint64_t> to_ask;
    std::deque<std::uint64_t> admitted;
    bool is_waiting = false;
  };

  std::uint64_t Pick(std::uint64_t least, std::uint64_t most) {
    return std::uniform_int_distribution<std::uint64_t>(least, most)(random_);
  }

  void Admit(Consumer& consumer) {
    consumer.admitted.push_back(consumer.to_ask.front());
    consumer.to_ask.pop_front();
    consumer.is_waiting = false;
  }

  void AskAll(DeliveryLedger::Consumer id, Consumer& consumer) {
    while (!consumer.is_waiting && !consumer.to_ask.empty()) {
      if (ledger_.Ask(id, consumer.to_ask.front())) {
        Admit(consumer);
      } else {
        consumer.is_waiting = true;
      }
    }
  }

  void Check() {
    std::uint64_t held = 0;
    std::uint64_t next_items = 0;
    for (const auto& [id, consumer] : consumers_) {
      ASSERT_TRUE(!consumer.admitted.empty() || consumer.to_ask.empty()) << "its next item is not admitted";
      for (const std::uint64_t bytes : consumer.admitted) held += bytes;
      if (!consumer.admitted.empty()) next_items += consumer.admitted.front();
    }
    ASSERT_EQ(ledger_.held(), held);
    ASSERT_LE(held, limit_ + next_items);
  }

  void Step(DeliveryLedger::Consumer id, Consumer& consumer) {
    std::vector<DeliveryLedger::Consumer> admitted;
    if (consumer.admitted.empty() || Pick(1, 50) == 1) {
      consumers_.erase(id);
      admitted = ledger_.Leave(id);
    } else {
      admitted = ledger_.Deliver(id, consumer.admitted.front());
      consumer.admitted.pop_front();
    }
    for (const auto other : admitted) {
      ASSERT_TRUE(consumers_.at(other).is_waiting) << "it did not wait";
      Admit(consumers_.at(other));
    }
  }

  std::mt19937 random_;
  const std::uint64_t limit_;
  DeliveryLedger ledger_;
  std::map<DeliveryLedger::Consumer, Consumer> consumers_;
};

TEST(DeliveryLedger, NeverBlocksAConsumerAndKeepsTheLimit) {
  for (unsigned seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE(seed);
    ASSERT_NO_FATAL_FAILURE(RandomConsumers(seed).Run());
  }
}

}  // namespace
}  // namespace gcsflux::internal
