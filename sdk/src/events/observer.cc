#include "events/observer.h"

namespace gcsflux {

std::string_view GateClassName(GateClass gate_class) {
  switch (gate_class) {
    case GateClass::kList: return "list";
    case GateClass::kRead: return "read";
    case GateClass::kWrite: break;
  }
  return "write";
}

namespace internal {

void Observer::UnverifiedRead(const CallInfo& call) {
  Add(tallies_.unverified_reads);
  if (!is_heard()) return;
  {
    const internal::MutexLock lock(mutex_);
    if (!warned_of_.emplace(call.bucket).second) return;
  }
  Tell([&](EventListener& listener) { listener.OnUnverifiedRead({call}); });
}

void Observer::CompositionRefused(const CompositionRefusedEvent& event) {
  if (!is_heard()) return;
  {
    const internal::MutexLock lock(mutex_);
    if (!refused_in_.emplace(event.bucket).second) return;
  }
  Tell([&](EventListener& listener) { listener.OnCompositionRefused(event); });
}

Counters Observer::counters() const {
  const auto& t = tallies_;
  const std::uint64_t free = t.requests[static_cast<std::size_t>(BillingClass::kFree)];
  const std::uint64_t class_a = t.requests[static_cast<std::size_t>(BillingClass::kA)];
  const std::uint64_t class_b = t.requests[static_cast<std::size_t>(BillingClass::kB)];
  return {.calls = t.calls,
          .failures = t.failures,
          .requests = free + class_a + class_b,
          .class_a_operations = class_a,
          .class_b_operations = class_b,
          .retries = t.retries,
          .budget_waits = t.budget_waits,
          .budget_delay = std::chrono::milliseconds(t.budget_wait_us / 1000),
          .throttled = t.throttled,
          .stalls = t.stalls,
          .hedges = t.hedges,
          .hedges_won = t.hedges_won,
          .reads_resumed = t.reads_resumed,
          .unverified_reads = t.unverified_reads,
          .sessions_restarted = t.sessions_restarted,
          .token_refreshes = t.token_refreshes,
          .token_failures = t.token_failures,
          .token_retries = t.token_retries,
          .bytes_sent = t.bytes_sent,
          .bytes_received = t.bytes_received,
          .listener_exceptions = t.listener_exceptions};
}

}  // namespace internal
}  // namespace gcsflux
