#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace gcsflux::internal {

/// A read that is over, as ConnectionCount is told of it.
struct ReadDone {
  std::chrono::steady_clock::time_point at = {};
  std::uint64_t bytes = 0;
  std::size_t in_flight = 0;  ///< Requests at that time, this one included.
  bool is_throttled = false;  ///< The service throttles requests of this kind.
};

/// Finds how many requests should be in flight. It begins with a few and adds one with each read that is done, as TCP's
/// slow start does, as long as each round of reads is clearly faster than the round before. Then it holds the number,
/// and tries a larger one every few seconds. Pure: it knows no time but that which it is told. For one thread at a
/// time.
///
/// A round in which the connections were not all in use says nothing: no caller waited for more bytes. One in which
/// requests were throttled says nothing either, and adds nothing.
class ConnectionCount {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  explicit ConnectionCount(std::size_t most);

  /// The number with which it begins.
  [[nodiscard]] static std::size_t First(std::size_t most);

  /// So many requests should be in flight now.
  [[nodiscard]] std::size_t number() const { return number_; }
  void OnRead(const ReadDone& read);

 private:
  static constexpr std::chrono::milliseconds kFirstPause{2000};

  // A number of reads that are as many as there are connections, or more.
  struct Round {
    TimePoint begin = {};
    std::size_t first_number = 0;  // Connections at its begin.
    std::size_t reads = 0;
    double weight = 0;
    double used = 0;   // The sums over its reads of connections in use,
    double given = 0;  // and of those there were.
    bool is_throttled = false;
  };
  // Rates of rounds, their mean and how far they lie apart.
  struct Rates {
    int rounds = 0;
    double mean = 0;
    double squares = 0;
    void Add(double rate);
    [[nodiscard]] double Noise() const;  // The standard error of the mean, as a share of it.
  };
  enum class Phase {
    kGrowing,     // Each read adds a connection.
    kConfirming,  // The last round was no faster; this one is at a constant number.
    kHolding,
    kSettling,  // A larger number is tried; requests of before are still under way.
    kTrying,
  };

  void BeginRound(TimePoint now);
  [[nodiscard]] bool IsOver(TimePoint now) const;
  void OnThrottled(TimePoint now);
  void OnRound(double rate, TimePoint now);
  void OnGrowth(double rate);
  void OnConfirmation(double rate, TimePoint now);
  void OnTrial(double rate, TimePoint now);
  void Hold(std::size_t number, TimePoint now);
  void GrowFrom(double rate);

  const std::size_t most_;
  std::size_t number_;
  Phase phase_ = Phase::kGrowing;
  Round round_ = {};
  double rate_before_ = 0;         // Of the last round that was faster than its own; 0 where there is none.
  std::size_t number_before_ = 0;  // With which that was reached.
  Rates held_ = {};
  Rates tried_ = {};
  TimePoint next_trial_ = {};
  std::chrono::milliseconds pause_{kFirstPause};
};

}  // namespace gcsflux::internal
