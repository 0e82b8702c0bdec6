// The purpose of the gate, in simulated time: processes that share a quota and do not know each other. The network is a
// delay, the service a token bucket. Seeds vary; a failure names its seed.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <random>
#include <vector>

#include "retry/gate.h"

namespace gcsflux::internal {
namespace {

using namespace std::chrono_literals;
using TimePoint = Gate::TimePoint;
using Seconds = std::chrono::duration<double>;

Gate::Duration Nanoseconds(double seconds) { return std::chrono::duration_cast<Gate::Duration>(Seconds(seconds)); }

struct Setting {
  int processes = 1;
  int workers = 64;                                                     // of each process
  std::function<double(double)> quota = [](double) { return 1000.0; };  // per second, by the second
  double seconds = 60;
  double round_trip = 0.05;
  double noise = 0;  // share of requests that are throttled at any rate
};

struct Outcome {
  double successes = 0;
  double throttled = 0;
  double worst_seconds = 0;  // of a request, from its first issue to its success
  double efficiency = 0;     // of the requests that the quota would have allowed
  double fairness = 0;       // Jain's index of the processes
  std::vector<double> by_second = {};
};

class Simulation {
 public:
  Simulation(Setting setting, unsigned seed) : setting_(std::move(setting)), random_(seed) {
    for (int i = 0; i < setting_.processes; ++i) {
      gates_.push_back(std::make_unique<Gate>([this] { return Chance(); }));
      waiting_.emplace_back();
    }
    done_.resize(static_cast<std::size_t>(setting_.processes));
    outcome_.by_second.resize(static_cast<std::size_t>(setting_.seconds) + 1);
  }

  Outcome Run() {
    for (int process = 0; process < setting_.processes; ++process) {
      for (int worker = 0; worker < setting_.workers; ++worker) {
        At(now_ + Nanoseconds(Chance() * 0.01), [this, process] { Issue(process); });
      }
    }
    const TimePoint end = start_ + Nanoseconds(setting_.seconds);
    while (!events_.empty() && events_.top().at < end) {
      const Event event = events_.top();
      events_.pop();
      now_ = event.at;
      event.what();
    }
    for (const auto& waiting : waiting_) {
      for (const auto& request : waiting) NoteLatency(*request);  // it would have been worse
    }
    return Finish();
  }

 private:
  struct Request {
    int process = 0;
    Gate::Ticket ticket = 0;
    TimePoint issued;
    int attempt = 1;
    std::uint64_t look = 0;  // the valid one of its planned looks
    TimePoint asks_at;
  };
  using RequestPtr = std::shared_ptr<Request>;
  struct Event {
    TimePoint at;
    std::uint64_t order;
    std::function<void()> what;
    bool operator<(const Event& other) const { return at != other.at ? at > other.at : order > other.order; }
  };

  double Chance() { return std::uniform_real_distribution<double>()(random_); }
  double Second() const { return Seconds(now_ - start_).count(); }
  void At(TimePoint at, std::function<void()> what) { events_.push({at, ++order_, std::move(what)}); }

  void Issue(int process) {
    const auto request =
        std::make_shared<Request>(Request{.process = process, .ticket = ++tickets_, .issued = now_, .asks_at = {}});
    Ask(request);
  }

  void Ask(const RequestPtr& request) {
    Gate& gate = *gates_[static_cast<std::size_t>(request->process)];
    auto& waiting = waiting_[static_cast<std::size_t>(request->process)];
    const auto wait = gate.Acquire(request->ticket, now_);
    std::erase(waiting, request);
    const std::uint64_t look = ++request->look;
    if (wait) {
      waiting.push_back(request);
      request->asks_at = now_ + std::max<Gate::Duration>(*wait, 1us);
      At(request->asks_at, [this, request, look] {
        if (request->look == look) Ask(request);
      });
      return;
    }
    Send(request);
    WakeFirstIfLate(request->process);
  }

  // The first in line checks again if its turn is earlier than it was told.
  void WakeFirstIfLate(int process) {
    auto& waiting = waiting_[static_cast<std::size_t>(process)];
    if (waiting.empty()) return;
    const auto first = *std::min_element(waiting.begin(), waiting.end(),
                                         [](const auto& a, const auto& b) { return a->ticket < b->ticket; });
    if (!gates_[static_cast<std::size_t>(process)]->FirstIsLate(first->asks_at, now_)) return;
    const std::uint64_t look = first->look;
    At(now_, [this, first, look] {
      if (first->look == look) Ask(first);
    });
  }

  void Send(const RequestPtr& request) {
    const TimePoint sent = now_;
    const double round_trip = setting_.round_trip * std::exp(0.2 * std::normal_distribution<double>()(random_));
    At(now_ + Nanoseconds(round_trip / 2), [this, request, sent, round_trip] {
      const bool passes = TakeFromQuota();
      At(now_ + Nanoseconds(round_trip / 2), [this, request, sent, passes] { Answer(request, sent, passes); });
    });
  }

  bool TakeFromQuota() {
    const double rate = setting_.quota(Second());
    tokens_ = std::min(std::max(1.0, 0.05 * rate), tokens_ + rate * (Second() - refilled_));
    refilled_ = Second();
    if (tokens_ < 1 || Chance() < setting_.noise) return false;
    tokens_ -= 1;
    return true;
  }

  void Answer(const RequestPtr& request, TimePoint sent, bool passes) {
    Gate& gate = *gates_[static_cast<std::size_t>(request->process)];
    if (!passes) {
      ++outcome_.throttled;
      const auto delay = gate.OnThrottled(sent, now_, request->attempt++);
      At(now_ + delay, [this, request] { Ask(request); });
    } else {
      gate.OnSuccess(sent, now_);
      ++outcome_.successes;
      ++done_[static_cast<std::size_t>(request->process)];
      ++outcome_.by_second[static_cast<std::size_t>(Second())];
      NoteLatency(*request);
      Issue(request->process);
    }
    WakeFirstIfLate(request->process);
  }

  void NoteLatency(const Request& request) {
    outcome_.worst_seconds = std::max(outcome_.worst_seconds, Seconds(now_ - request.issued).count());
  }

  Outcome Finish() {
    double allowed = 0;
    const auto tenths = static_cast<int>(setting_.seconds * 10);
    for (int i = 0; i < tenths; ++i) allowed += setting_.quota(i / 10.0) / 10;
    const double unlimited = setting_.processes * setting_.workers / setting_.round_trip * setting_.seconds;
    outcome_.efficiency = outcome_.successes / std::min(allowed, unlimited);
    double sum = 0;
    double squares = 0;
    for (const double done : done_) {
      sum += done;
      squares += done * done;
    }
    outcome_.fairness = sum * sum / (setting_.processes * squares);
    return outcome_;
  }

  const Setting setting_;
  std::mt19937_64 random_;
  const TimePoint start_{1h};
  TimePoint now_ = start_;
  std::priority_queue<Event> events_;
  std::uint64_t order_ = 0;
  Gate::Ticket tickets_ = 0;
  std::vector<std::unique_ptr<Gate>> gates_;
  std::vector<std::vector<RequestPtr>> waiting_;
  std::vector<double> done_;
  double tokens_ = 0;
  double refilled_ = 0;
  Outcome outcome_;
};

class GateSimulation : public ::testing::TestWithParam<unsigned> {
 protected:
  static Outcome Run(const Setting& setting) {
    Outcome outcome = Simulation(setting, GetParam()).Run();
    std::printf("seed %u: efficiency %.3f, 429s per success %.3f, worst %.2f s, fairness %.3f\n", GetParam(),
                outcome.efficiency, outcome.throttled / outcome.successes, outcome.worst_seconds, outcome.fairness);
    return outcome;
  }
};

TEST_P(GateSimulation, FourProcessesShareAQuota) {
  const Outcome outcome = Run({.processes = 4});
  EXPECT_GE(outcome.efficiency, 0.97);
  EXPECT_LE(outcome.worst_seconds, 1.5);
  EXPECT_LE(outcome.throttled / outcome.successes, 0.05);
  EXPECT_GE(outcome.fairness, 0.97);
}

TEST_P(GateSimulation, OneProcessUsesASmallQuotaFully) {
  const Outcome outcome = Run({.quota = [](double) { return 200.0; }});
  EXPECT_GE(outcome.efficiency, 0.99);
  EXPECT_LE(outcome.worst_seconds, 1.0);
}

TEST_P(GateSimulation, RecoversFromADip) {
  const Setting dip{.processes = 4,
                    .quota = [](double second) { return second >= 20 && second < 40 ? 200.0 : 1000.0; }};
  const Outcome outcome = Run(dip);
  EXPECT_LE(outcome.worst_seconds, 5.0);
  double after = 0;
  for (std::size_t second = 45; second < 55; ++second) after += outcome.by_second[second] / 10;
  EXPECT_GE(after, 950) << "five seconds after the dip";
}

TEST_P(GateSimulation, CostsNothingWithoutAQuota) {
  const Outcome outcome = Run({.workers = 256, .quota = [](double) { return 1e9; }, .seconds = 20});
  EXPECT_EQ(outcome.throttled, 0);
  EXPECT_GE(outcome.efficiency, 0.96) << "the spread of round trips alone costs 2 %";
}

TEST_P(GateSimulation, StaysOpenUnderRefusalsUnrelatedToTheRate) {
  const Outcome outcome = Run({.workers = 256, .quota = [](double) { return 1e9; }, .seconds = 20, .noise = 0.01});
  EXPECT_GE(outcome.efficiency, 0.95);
}

INSTANTIATE_TEST_SUITE_P(Seeds, GateSimulation, ::testing::Values(1U, 2U, 3U));

}  // namespace
}  // namespace gcsflux::internal
