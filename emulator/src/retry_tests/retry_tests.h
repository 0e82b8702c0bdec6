#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/emulator/retry_tests.h"
#include "retry_tests/retry_instruction.h"

namespace gcsflux::emulator {

/// The retry tests of all clients: a queue of instructions for each method. Thread-safe.
class RetryTests final : public RetryTestControl {
 public:
  /// The first instruction of a queue. It may be taken off as long as it is the first.
  struct Head {
    RetryInstruction instruction = {};
    std::uint64_t number = 0;
  };

  /// Only the client that made a test must know its id, so `seed` need not be secret.
  explicit RetryTests(std::uint64_t seed) : random_(seed) {}

  RetryTest Make(const RetryInstructions& instructions) override;
  [[nodiscard]] std::optional<RetryTest> Find(std::string_view id) const override;
  [[nodiscard]] std::vector<RetryTest> List() const override;
  bool Delete(std::string_view id) override;
  void Clear();

  /// Whether there is any test. Costs one atomic load.
  [[nodiscard]] bool has_any() const { return count_.load(std::memory_order_relaxed) != 0; }

  /// Nothing if the queue is empty or does not exist.
  [[nodiscard]] std::optional<Head> Peek(std::string_view id, std::string_view method) const;
  /// False if another request has taken it meanwhile. Then this request must not meet it.
  bool Take(std::string_view id, std::string_view method, const Head& head);

 private:
  struct Queued {
    std::string text = {};
    Head head = {};
  };
  struct Queues {
    std::map<std::string, std::deque<Queued>, std::less<>> by_method = {};
    bool is_completed = false;
  };
  static RetryTest Describe(const std::string& id, const Queues& queues);
  [[nodiscard]] const std::deque<Queued>* FindQueueLocked(std::string_view id, std::string_view method) const;

  std::atomic<std::size_t> count_ = 0;

  mutable std::mutex mutex_;  // guards what follows
  std::mt19937_64 random_;
  std::uint64_t last_number_ = 0;
  std::map<std::string, Queues, std::less<>> tests_;
};

}  // namespace gcsflux::emulator
