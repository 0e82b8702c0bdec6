#include "transfer/download/connection_finder.h"

#include <algorithm>
#include <utility>

#include "client/client_core.h"

namespace gcsflux::internal {
namespace {

// After this time an engaged gate is checked again.
constexpr std::chrono::milliseconds kLook{50};

// A composition check may take long.
constexpr int kMostProvisional = 128;

}  // namespace

ConnectionFinder::ConnectionFinder(Client client, std::shared_ptr<RequestSlots> slots, std::size_t most)
    : client_(std::move(client)),
      slots_(std::move(slots)),
      count_(most),
      throttled_(CoreOf(client_).observer().counters().throttled) {}

void ConnectionFinder::OnRead(std::uint64_t bytes, bool is_provisional) {
  const std::size_t in_flight = slots_->busy();
  bool has_changed = false;
  {
    const MutexLock lock(mutex_);
    if (is_provisional && provisional_++ < kMostProvisional) return;
    const auto now = ConnectionCount::TimePoint::clock::now();
    const std::size_t before = count_.number();
    count_.OnRead({.at = now, .bytes = bytes, .in_flight = in_flight, .is_throttled = LookAtThrottling(now)});
    has_changed = count_.number() != before;
  }
  if (has_changed) Resize();
}

// A few 429s are noise for the gate, and so for this class: otherwise a client with few connections would never get
// more. Without the gate each 429 counts.
bool ConnectionFinder::LookAtThrottling(ConnectionCount::TimePoint now) {
  const std::uint64_t throttled = CoreOf(client_).observer().counters().throttled;
  const bool is_new = std::exchange(throttled_, throttled) != throttled;
  if (!CoreOf(client_).settings().pace_throttled) return is_new;
  if (!is_new && (!is_engaged_ || now - looked_ < kLook)) return is_engaged_;
  looked_ = now;
  const auto gates = client_.flow_control();
  is_engaged_ = std::any_of(gates.begin(), gates.end(), [](const GateStatus& gate) {
    return gate.gate_class == GateClass::kRead && gate.is_engaged;
  });
  return is_engaged_;
}

void ConnectionFinder::Resize() {
  std::size_t number = 0;
  {
    const MutexLock resizing(resizing_mutex_);
    {
      const MutexLock lock(mutex_);
      number = count_.number();
    }
    slots_->SetLimit(number);
  }
  const auto shortage = slots_->shortage();
  if (!shortage || slots_->limit() >= number) return;
  CoreOf(client_).observer().Report({.kind = EventKind::kThreadShortage,
                                     .error = &*shortage,
                                     .what = "connections",
                                     .wanted = number,
                                     .started = slots_->limit()});
}

}  // namespace gcsflux::internal
