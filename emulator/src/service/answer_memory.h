#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <unordered_map>

#include "bodies/fingerprinted_body.h"
#include "gcsflux/emulator/clock.h"
#include "http/http_message.h"
#include "operations/request_subject.h"

namespace gcsflux::emulator {

/// An answer that can be given again, and what its request was about.
struct KeptAnswer {
  int status = 200;
  HttpHeaders headers = {};
  std::string body = {};
  RequestSubject subject = {};
  BodyFingerprint request_body = {};
};

/// The first answers to requests, by key: what was carried out once under a key is not carried out again. Keeps the
/// last 10,000 answers, of 64 MiB together, each for a while of the emulator's time. Thread-safe.
class AnswerMemory {
 public:
  using Answer = std::shared_ptr<const KeptAnswer>;

  /// 0 keeps nothing. `clock` must outlive it.
  AnswerMemory(const Clock& clock, std::chrono::nanoseconds window) : clock_(clock), window_(window) {}

  [[nodiscard]] bool is_on() const { return window().count() > 0; }
  [[nodiscard]] std::chrono::nanoseconds window() const { return window_.load(std::memory_order_relaxed); }
  /// Also applies to what was kept before.
  void SetWindow(std::chrono::nanoseconds window) { window_ = window; }

  /// Null if there is none.
  [[nodiscard]] Answer Find(const std::string& key) const;

  struct Claim {
    bool is_granted = false;  ///< The caller must carry the request out now, and then call Keep() or GiveUp().
    Answer answer = {};       ///< Else the first answer; null if the request is still being carried out.
  };
  /// Asks whether the caller may carry the request out. Waits for another one of the same key: until that is done,
  /// until `patience` of the machine's time has passed, or until Stop().
  Claim Take(const std::string& key, std::chrono::milliseconds patience);
  void Keep(const std::string& key, Answer answer);
  /// The request had no effect: the next one of the key is carried out.
  void GiveUp(const std::string& key);

  /// Forgets all answers.
  void Clear();
  /// Ends all waiting, for good.
  void Stop() { stop_.request_stop(); }

 private:
  static constexpr std::size_t kMost = 10'000;
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;

  struct Kept {
    Clock::Time at = {};
    std::string key = {};
    std::size_t bytes = 0;
  };
  struct Entry {
    Answer answer = {};  // null while the request is carried out
    Clock::Time kept_at = {};
  };
  [[nodiscard]] bool IsOver(const Entry& entry, Clock::Time now) const {
    return entry.answer != nullptr && now - entry.kept_at >= window();
  }

  const Clock& clock_;
  std::atomic<std::chrono::nanoseconds> window_;
  std::stop_source stop_;

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable_any settled_;
  std::unordered_map<std::string, Entry> entries_;
  std::deque<Kept> kept_;       // answers, the oldest first
  std::size_t kept_bytes_ = 0;  // of those in kept_
};

}  // namespace gcsflux::emulator
