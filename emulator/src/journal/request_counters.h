#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

#include "gcsflux/emulator/traffic.h"

namespace gcsflux::emulator {

/// Counts the answers of one operation with one status. Thread-safe.
struct AnswerCount {
  /// Upper bounds of the histogram's buckets, inclusive. A request that takes longer than the last is in none of them.
  static constexpr std::array<std::chrono::microseconds, 15> kBounds = {
      std::chrono::microseconds(100),        std::chrono::microseconds(250),
      std::chrono::microseconds(500),        std::chrono::microseconds(1'000),
      std::chrono::microseconds(2'500),      std::chrono::microseconds(5'000),
      std::chrono::microseconds(10'000),     std::chrono::microseconds(25'000),
      std::chrono::microseconds(50'000),     std::chrono::microseconds(100'000),
      std::chrono::microseconds(250'000),    std::chrono::microseconds(1'000'000),
      std::chrono::microseconds(5'000'000),  std::chrono::microseconds(30'000'000),
      std::chrono::microseconds(120'000'000)};

  void AddFinished(std::chrono::nanoseconds duration);

  std::atomic<std::uint64_t> requests = 0;
  std::atomic<std::uint64_t> bytes_in = 0;
  std::atomic<std::uint64_t> bytes_out = 0;
  std::atomic<std::uint64_t> finished = 0;
  std::atomic<std::int64_t> nanoseconds = 0;  ///< Of all finished ones together.
  std::array<std::atomic<std::uint64_t>, kBounds.size()>
      within{};  ///< Finished ones, by the smallest bound that they do not exceed.
};

/// All answers, by operation and status. Thread-safe.
class RequestCounters {
 public:
  /// `operation` must never be destroyed. If Reset() comes while a request is being answered, the request is not
  /// counted.
  std::shared_ptr<AnswerCount> Find(std::string_view operation, int status);

  [[nodiscard]] Counters Read() const;
  void Reset();

  using Key = std::pair<std::string_view, int>;
  using Table = std::map<Key, std::shared_ptr<AnswerCount>>;
  /// The counters themselves, which continue to count.
  [[nodiscard]] Table table() const;

 private:
  mutable std::mutex mutex_;  // guards table_
  Table table_;
};

}  // namespace gcsflux::emulator
