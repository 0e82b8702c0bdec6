#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/emulator/traffic.h"
#include "operations/fired_faults.h"

namespace gcsflux::emulator {

/// One request in the journal. It is filled in while the request is served, and may be read at any time. Thread-safe.
///
/// What a client receives of an answer is recorded before the client receives it. So a test that has its answer finds
/// the request complete.
class JournalEntry {
 public:
  explicit JournalEntry(RequestRecord arrival) : record_(std::move(arrival)) {}

  /// What the request was found to be.
  struct Answer {
    std::string_view operation = {};  ///< Never destroyed, like the phase.
    std::string_view phase = {};
    std::string bucket = {};
    std::string object = {};
    std::int64_t committed_generation = 0;
    std::int64_t read_generation = 0;
    std::uint64_t offset = 0;
    bool is_replayed = false;
    std::shared_ptr<const FiredFaults> faults = {};
    int status = 0;
    std::uint64_t bytes_in = 0;
  };
  void SetNumber(std::uint64_t number);
  void SetAnswer(Answer answer);
  void AddBytesOut(std::uint64_t bytes) { bytes_out_.fetch_add(bytes, std::memory_order_relaxed); }
  /// Returns how long it took.
  std::chrono::nanoseconds Finish(Clock::Time now);

  [[nodiscard]] RequestRecord Read(Clock::Time now) const;

 private:
  mutable std::mutex mutex_;  // guards what follows
  RequestRecord record_;      // without the operation and the phase, which become strings when they are read
  std::string_view operation_ = "unknown";
  std::string_view phase_;
  std::shared_ptr<const FiredFaults> faults_;  // grows until the answer is out
  std::atomic<std::uint64_t> bytes_out_ = 0;
};

/// Which requests of a journal: those after number `since`, at most `limit` of them.
struct JournalRange {
  std::uint64_t since = 0;
  std::uint64_t limit = UINT64_MAX;
  bool is_first = false;  ///< If there are more, the first ones; else the last ones.
};

/// The last requests, in order of arrival. Thread-safe. Each request costs one place in a ring.
class Journal {
 public:
  /// Keeps `size` requests; none if it is 0.
  explicit Journal(std::size_t size) : size_(size), ring_(size) {}

  /// Numbers the entry, and keeps it in the place of the oldest one.
  void Add(std::shared_ptr<JournalEntry> entry);

  /// The kept requests of the range, the earliest first. Its cost is by their number, whatever the journal's size.
  [[nodiscard]] std::vector<RequestRecord> Read(const JournalRange& range, Clock::Time now) const;

  /// Whether Read() has every request after number `since`: none has been forgotten, and requests are kept at all.
  [[nodiscard]] bool HasAllSince(std::uint64_t since) const;

  /// Forgets all. The next request is number 1.
  void Reset();

 private:
  const std::size_t size_;

  mutable std::mutex mutex_;                         // guards what follows
  std::vector<std::shared_ptr<JournalEntry>> ring_;  // number N is at (N - 1) % size
  std::uint64_t last_number_ = 0;
};

}  // namespace gcsflux::emulator
