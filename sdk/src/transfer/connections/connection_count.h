#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace gcsflux::internal {

/// A finished read, as ConnectionCount is told of it.
struct ReadDone {
  std::chrono::steady_clock::time_point at = {};
  std::uint64_t bytes = 0;
  std::size_t in_flight = 0;  ///< Requests in flight at that time, including this one.
  bool is_throttled = false;  ///< The service throttles requests of this kind.
};

/// Finds how many requests should be in flight. It begins with a few and adds one with each finished read, like TCP's
/// slow start, as long as each round of reads is clearly faster than the round before. Then it holds the number, and
/// tries a larger one every few seconds. Pure: it knows only the times that it is given. For one thread at a time.
///
/// A round in which some connections were unused is ignored: the callers requested no more bytes. A round in which
/// requests were throttled is also ignored, and adds no connection.
class ConnectionCount {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  explicit ConnectionCount(std::size_t most);

  /// The initial number.
  [[nodiscard]] static std::size_t First(std::size_t most);

  /// How many requests should be in flight now.
  [[nodiscard]] std::size_t number() const { return number_; }
  void OnRead(const ReadDone& read);

 private:
  static constexpr std::chrono::milliseconds kFirstPause{2000};

  // A sequence of at least as many reads as there are connections.
  struct Round {
    TimePoint begin = {};
    std::size_t first_number = 0;  // Connections at its start.
    std::size_t reads = 0;
    double weight = 0;
    double used = 0;   // The sum over its reads of the connections in use,
    double given = 0;  // and of the connections available.
    bool is_throttled = false;
  };
  // Rates of rounds: their mean and their spread.
  struct Rates {
    int rounds = 0;
    double mean = 0;
    double squares = 0;
    void Add(double rate);
    [[nodiscard]] double Noise() const;  // The standard error of the mean, as a share of the mean.
  };
  enum class Phase {
    kGrowing,     // Each read adds a connection.
    kConfirming,  // The last round was not faster; this one has a constant number.
    kHolding,
    kSettling,  // A larger number is tried; earlier requests are still in flight.
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
  double rate_before_ = 0;  // The rate of the last round that was faster than the one before; 0 if there is none.
  std::size_t number_before_ = 0;  // The number of connections of that round.
  Rates held_ = {};
  Rates tried_ = {};
  TimePoint next_trial_ = {};
  std::chrono::milliseconds pause_{kFirstPause};
};

}  // namespace gcsflux::internal
