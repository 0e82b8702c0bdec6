#include "transfer/connections/connection_finder.h"

#include <algorithm>
#include <utility>

#include "client/client_core.h"

namespace gcsflux::internal {
namespace {

// After this time an engaged gate is checked again.
constexpr std::chrono::milliseconds kLook{50};

}  // namespace

ConnectionFinder::ConnectionFinder(const Client& client, GateClass gate_class, std::size_t most, Resize resize)
    : client_(client),
      gate_class_(gate_class),
      resize_(std::move(resize)),
      count_(most),
      throttled_(CoreOf(client_).observer().counters().throttled) {}

void ConnectionFinder::OnDone(std::uint64_t bytes, std::size_t in_flight) {
  {
    const MutexLock lock(mutex_);
    const auto now = ConnectionCount::TimePoint::clock::now();
    const std::size_t before = count_.number();
    count_.OnRead({.at = now, .bytes = bytes, .in_flight = in_flight, .is_throttled = LookAtThrottling(now)});
    if (count_.number() == before) return;
  }
  const MutexLock resizing(resizing_mutex_);
  std::size_t number = 0;
  {
    const MutexLock lock(mutex_);
    number = count_.number();
  }
  resize_(number);
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
  is_engaged_ = std::any_of(gates.begin(), gates.end(), [this](const GateStatus& gate) {
    return gate.gate_class == gate_class_ && gate.is_engaged;
  });
  return is_engaged_;
}

}  // namespace gcsflux::internal
