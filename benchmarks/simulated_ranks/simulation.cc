#include "simulated_ranks/simulation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <queue>
#include <random>

#include "retry/gate.h"

namespace gcsflux::bench {
namespace {

using internal::Gate;

/// A token bucket, as the emulator's quotas.
class Quota {
 public:
  Quota(double rate, double depth) : rate_(rate), most_(std::max(1.0, rate * depth)), tokens_(most_) {}

  [[nodiscard]] bool Has(double now, double least) {
    tokens_ = std::min(most_, tokens_ + rate_ * (now - refilled_));
    refilled_ = now;
    return tokens_ >= least;
  }
  void Take(double count) { tokens_ -= count; }

 private:
  double rate_;
  double most_;
  double tokens_;
  double refilled_ = 0;
};

/// Accepts or refuses requests. One answer may overdraw egress; the next ones wait until the debt is paid.
class Quotas {
 public:
  explicit Quotas(const SimulatedService& service)
      : service_(service), limits_egress_(std::isfinite(service.egress)), egress_(service.egress, service.depth) {}

  bool Admits(const SimulatedRequest& request, double now) {
    auto& ranges = ranges_[request.is_write ? 1 : 0];
    const double rate = request.is_write ? service_.range_writes : service_.range_reads;
    Quota& range = ranges.try_emplace(request.range, rate, service_.depth).first->second;
    const bool draws = limits_egress_ && !request.is_write;
    if (!range.Has(now, 1) || (draws && !egress_.Has(now, 0))) return false;
    range.Take(1);
    if (draws) egress_.Take(static_cast<double>(request.bytes));
    return true;
  }

 private:
  const SimulatedService& service_;
  std::array<std::map<std::uint32_t, Quota>, 2> ranges_;
  const bool limits_egress_;
  Quota egress_;
};

class Simulation {
 public:
  Simulation(const std::vector<RankStages>& ranks, const SimulatedService& service, std::uint64_t seed)
      : service_(service), random_(seed), quotas_(service) {
    for (const RankStages& stages : ranks) ranks_.push_back(std::make_unique<Rank>(stages, *this));
  }

  SimulatedOutcome Run() {
    for (const auto& rank : ranks_) FillConnections(*rank);
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      now_ = event.at;
      Handle(event);
    }
    outcome_.seconds = now_;
    return outcome_;
  }

 private:
  struct Rank;
  /// A request that was issued and has not ended.
  struct Call {
    Rank* rank = nullptr;
    SimulatedRequest request = {};
    Gate::Ticket ticket = 0;
    double issued = 0;
    double sent = 0;
    int attempt = 1;
    std::uint64_t look = 0;  // The valid one of its planned questions to the gate.
    double asks_at = 0;
    bool is_admitted = false;
  };
  struct Rank {
    Rank(const RankStages& of_rank, Simulation& simulation)
        : stages(of_rank), gates{Gate([&simulation] { return simulation.Chance(); }), Gate([&simulation] {
                                   return simulation.Chance();
                                 })} {}

    const RankStages& stages;
    std::array<Gate, 2> gates;  // For reads, for writes.
    std::array<std::vector<Call*>, 2> waiting;
    std::size_t stage = 0;
    std::size_t next = 0;  // Of the stage.
    int in_flight = 0;
  };
  enum class What : std::uint8_t { kAsk, kArrive, kAnswer };
  struct Event {
    double at = 0;
    std::uint64_t order = 0;
    What what = What::kAsk;
    Call* call = nullptr;
    std::uint64_t look = 0;
    bool operator<(const Event& other) const { return at != other.at ? at > other.at : order > other.order; }
  };

  static Gate::TimePoint Point(double seconds) {
    using Nanoseconds = std::chrono::nanoseconds;
    return Gate::TimePoint(std::chrono::hours(1)) + Nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
  }
  double Chance() { return static_cast<double>(random_() >> 11U) * 0x1.0p-53; }
  // Box and Muller's: std::normal_distribution may differ between standard libraries.
  double Normal() { return std::sqrt(-2 * std::log(1 - Chance())) * std::cos(6.283185307179586 * Chance()); }
  void At(double at, What what, Call& call) { events_.push({at, ++order_, what, &call, call.look}); }
  static std::size_t ClassOf(const Call& call) { return call.request.is_write ? 1 : 0; }

  void FillConnections(Rank& rank) {
    while (rank.stage < rank.stages.size()) {
      const Stage& stage = rank.stages[rank.stage];
      while (rank.next < stage.size() && rank.in_flight < service_.connections) Issue(rank, stage[rank.next++]);
      if (rank.in_flight > 0) return;
      ++rank.stage;
      rank.next = 0;
    }
  }

  void Issue(Rank& rank, const SimulatedRequest& request) {
    ++rank.in_flight;
    ++outcome_.requests;
    outcome_.bytes += request.bytes;
    Call& call = TakeCall();
    call = {.rank = &rank, .request = request, .ticket = ++tickets_, .issued = now_, .look = call.look};
    Ask(call);
  }

  // Calls are reused; `look` increases, so that events of an earlier use are invalid.
  Call& TakeCall() {
    if (free_.empty()) {
      calls_.push_back(std::make_unique<Call>());
      return *calls_.back();
    }
    Call& call = *free_.back();
    free_.pop_back();
    return call;
  }

  void Handle(const Event& event) {
    if (event.look != event.call->look) return;
    switch (event.what) {
      case What::kAsk: return Ask(*event.call);
      case What::kArrive: return Arrive(*event.call);
      case What::kAnswer: return Answer(*event.call);
    }
  }

  void Ask(Call& call) {
    auto& waiting = call.rank->waiting[ClassOf(call)];
    std::erase(waiting, &call);
    ++call.look;
    const auto wait = call.rank->gates[ClassOf(call)].Acquire(call.ticket, Point(now_));
    if (wait) {
      waiting.push_back(&call);
      call.asks_at = now_ + std::max(1e-6, std::chrono::duration<double>(*wait).count());
      return At(call.asks_at, What::kAsk, call);
    }
    call.sent = now_;
    At(now_ + service_.round_trip / 2, What::kArrive, call);
    WakeFirstIfLate(*call.rank, ClassOf(call));
  }

  void WakeFirstIfLate(Rank& rank, std::size_t of_class) {
    const auto& waiting = rank.waiting[of_class];
    const auto first = std::ranges::min_element(waiting, {}, [](const Call* call) { return call->ticket; });
    if (first == waiting.end() || !rank.gates[of_class].FirstIsLate(Point((*first)->asks_at), Point(now_))) return;
    At(now_, What::kAsk, **first);
  }

  void Arrive(Call& call) {
    call.is_admitted = quotas_.Admits(call.request, now_);
    const double service_time = call.is_admitted ? ServiceSeconds(call.request) : 0;
    if (call.is_admitted) outcome_.worst_wait = std::max(outcome_.worst_wait, now_ - call.issued);
    At(now_ + service_time + service_.round_trip / 2, What::kAnswer, call);
  }

  double ServiceSeconds(const SimulatedRequest& request) {
    constexpr double kSigma = 0.5959;  // ln(4) / 2.326: 99 % are below four times the median.
    const double first_byte =
        request.is_write ? service_.write_first_byte : service_.read_first_byte * std::exp(kSigma * Normal());
    const double stream = request.is_write ? service_.stream_write_rate : service_.stream_read_rate;
    return first_byte +
           static_cast<double>(request.bytes) / std::min(stream, service_.rank_rate / service_.connections);
  }

  void Answer(Call& call) {
    Rank& rank = *call.rank;
    const std::size_t of_class = ClassOf(call);
    Gate& gate = rank.gates[of_class];
    ++call.look;
    if (!call.is_admitted) {
      ++outcome_.throttled;
      const auto delay = gate.OnThrottled(Point(call.sent), Point(now_), call.attempt++);
      At(now_ + std::chrono::duration<double>(delay).count(), What::kAsk, call);
    } else {
      gate.OnSuccess(Point(call.sent), Point(now_));
      free_.push_back(&call);
      --rank.in_flight;
      FillConnections(rank);
    }
    WakeFirstIfLate(rank, of_class);
  }

  const SimulatedService service_;
  std::mt19937_64 random_;
  Quotas quotas_;
  std::vector<std::unique_ptr<Rank>> ranks_;
  std::vector<std::unique_ptr<Call>> calls_;
  std::vector<Call*> free_;
  std::priority_queue<Event> events_;
  double now_ = 0;
  std::uint64_t order_ = 0;
  Gate::Ticket tickets_ = 0;
  SimulatedOutcome outcome_;
};

}  // namespace

SimulatedOutcome Simulate(const std::vector<RankStages>& ranks, const SimulatedService& service, std::uint64_t seed) {
  return Simulation(ranks, service, seed).Run();
}

}  // namespace gcsflux::bench
