#include "transfer/connections/connection_simulation.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <queue>
#include <random>
#include <utility>

#include "retry/gate.h"
#include "transfer/connections/connection_count.h"

namespace gcsflux::testing {
namespace {

using TimePoint = internal::ConnectionCount::TimePoint;

constexpr double kNever = std::numeric_limits<double>::max();
constexpr double kRefusal = 0.01;  // The time of a throttled answer.

TimePoint At(double seconds) {
  return TimePoint(std::chrono::duration_cast<TimePoint::duration>(std::chrono::duration<double>(seconds)));
}

struct Request {
  std::size_t reader = 0;
  std::uint64_t bytes = 0;
  internal::Gate::Ticket ticket = 0;
  int attempt = 0;
  double sent = 0;
};

struct Reader {
  Reader(const SimulatedReader& reader, std::function<double()> random)
      : plan(reader), count(reader.most), gate(std::move(random)) {}

  [[nodiscard]] std::size_t number() const { return plan.fixed > 0 ? plan.fixed : count.number(); }
  [[nodiscard]] bool MayBegin() const { return in_flight < number() && (plan.reads == 0 || begun < plan.reads); }

  SimulatedReader plan;
  internal::ConnectionCount count;
  internal::Gate gate;
  std::map<internal::Gate::Ticket, Request> waiting = {};  // At the gate.
  double looks_at = kNever;                                // When the gate is asked again.
  std::size_t in_flight = 0;
  std::size_t begun = 0;
  double next_begin = 0;  // None before that time.
  bool is_filled_later = false;
};

class Simulation {
 public:
  Simulation(const SimulatedReads& service, const std::vector<SimulatedReader>& readers, std::uint32_t seed)
      : service_(service), random_(seed) {
    for (const SimulatedReader& reader : readers) {
      readers_.emplace_back(reader, [this] { return std::uniform_real_distribution(0.0, 1.0)(random_); });
      After(reader.begins_at, [this, index = readers_.size() - 1] { Fill(index); });
    }
  }

  std::vector<SimulatedRead> Run(double seconds) {
    while (true) {
      const double event = events_.empty() ? kNever : events_.top().at;
      const double stream = NextStreamEnd();
      const double next = std::min(event, stream);
      if (next == kNever || next > seconds) return std::move(done_);
      if (!streams_.empty()) streamed_ += (next - now_) * Share();
      now_ = next;
      if (stream < event) {
        EndStream();
      } else {
        const auto action = events_.top().action;
        events_.pop();
        action();
      }
    }
  }

 private:
  struct Event {
    double at = 0;
    std::uint64_t order = 0;
    std::function<void()> action = {};
    bool operator>(const Event& other) const { return at != other.at ? at > other.at : order > other.order; }
  };
  // All streams have the same share of the link, so they end in the order of the bytes that a stream from the start of
  // the simulation would have transferred by then.
  struct Stream {
    double end = 0;
    Request request = {};
    bool operator>(const Stream& other) const { return end > other.end; }
  };

  void After(double seconds, std::function<void()> action) {
    events_.push({now_ + seconds, order_++, std::move(action)});
  }

  [[nodiscard]] double Share() const {
    const bool is_free = service_.freed_at > 0 && now_ >= service_.freed_at;
    if (service_.link_rate <= 0 || is_free || streams_.empty()) return service_.stream_rate;
    return std::min(service_.stream_rate, service_.link_rate / static_cast<double>(streams_.size()));
  }
  [[nodiscard]] double NextStreamEnd() const {
    return streams_.empty() ? kNever : now_ + std::max(0.0, streams_.top().end - streamed_) / Share();
  }

  // Starts as many requests as the reader may have in flight.
  void Fill(std::size_t index) {
    Reader& reader = readers_[index];
    while (reader.MayBegin()) {
      if (reader.next_begin > now_) return FillIn(reader.next_begin - now_, index);
      if (reader.plan.consumer_rate > 0) {
        reader.next_begin = now_ + 1 / reader.plan.consumer_rate;
      }
      ++reader.in_flight;
      const std::size_t number = reader.begun++;
      Enter({index, reader.plan.sizes[number % reader.plan.sizes.size()], number});
    }
  }

  void FillIn(double seconds, std::size_t index) {
    if (std::exchange(readers_[index].is_filled_later, true)) return;
    After(seconds, [this, index] {
      readers_[index].is_filled_later = false;
      Fill(index);
    });
  }

  void Enter(const Request& request) {
    readers_[request.reader].waiting.emplace(request.ticket, request);
    Admit(request.reader);
  }

  void Admit(std::size_t index) {
    Reader& reader = readers_[index];
    while (!reader.waiting.empty()) {
      const auto delay = reader.gate.Acquire(reader.waiting.begin()->first, At(now_));
      if (delay) return AdmitIn(std::max(1e-4, std::chrono::duration<double>(*delay).count()), index);
      Send(reader.waiting.extract(reader.waiting.begin()).mapped());
    }
  }

  // It checks one at a time, for any number of requests.
  void AdmitIn(double seconds, std::size_t index) {
    Reader& reader = readers_[index];
    if (reader.looks_at <= now_ + seconds) return;
    reader.looks_at = now_ + seconds;
    After(seconds, [this, index, at = reader.looks_at] {
      if (readers_[index].looks_at == at) readers_[index].looks_at = kNever;
      Admit(index);
    });
  }

  void Send(Request request) {
    request.sent = now_;
    ++request.attempt;
    if (service_.reads_per_second > 0) {
      tokens_ = std::min(service_.reads_per_second * 0.1, tokens_ + (now_ - refilled_) * service_.reads_per_second);
      refilled_ = now_;
      if (tokens_ < 1) return After(kRefusal, [this, request] { Refuse(request); });
      tokens_ -= 1;
    }
    const double sigma = std::log(service_.first_byte_p99 / service_.first_byte_median) / 2.326;
    After(std::lognormal_distribution(std::log(service_.first_byte_median), sigma)(random_), [this, request] {
      streams_.push({streamed_ + static_cast<double>(request.bytes), request});
    });
  }

  void Refuse(const Request& request) {
    const auto delay = readers_[request.reader].gate.OnThrottled(At(request.sent), At(now_), request.attempt);
    After(std::chrono::duration<double>(delay).count(), [this, request] { Enter(request); });
  }

  void EndStream() {
    const Request request = streams_.top().request;
    streams_.pop();
    const double cpu = service_.cpu_per_request + service_.cpu_per_byte * static_cast<double>(request.bytes);
    cpu_free_at_ = std::max(cpu_free_at_, now_) + cpu;
    After(cpu_free_at_ - now_, [this, request] { EndRead(request); });
  }

  void EndRead(const Request& request) {
    Reader& reader = readers_[request.reader];
    reader.gate.OnSuccess(At(request.sent), At(now_));
    const bool is_paced = reader.gate.is_engaged();
    reader.count.OnRead(
        {.at = At(now_), .bytes = request.bytes, .in_flight = reader.in_flight, .is_throttled = is_paced});
    --reader.in_flight;
    done_.push_back({request.reader, now_, reader.number(), is_paced});
    Admit(request.reader);
    Fill(request.reader);
  }

  const SimulatedReads service_;
  std::mt19937 random_;
  std::deque<Reader> readers_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::priority_queue<Stream, std::vector<Stream>, std::greater<>> streams_;
  std::uint64_t order_ = 0;
  double now_ = 0;
  double streamed_ = 0;  // Bytes that a stream which began with the simulation would have.
  double cpu_free_at_ = 0;
  double tokens_ = 0;  // Of the quota.
  double refilled_ = -1;
  std::vector<SimulatedRead> done_;
};

}  // namespace

std::vector<SimulatedRead> Simulate(const SimulatedReads& service, const std::vector<SimulatedReader>& readers,
                                    std::uint32_t seed, double seconds) {
  return Simulation(service, readers, seed).Run(seconds);
}

}  // namespace gcsflux::testing
