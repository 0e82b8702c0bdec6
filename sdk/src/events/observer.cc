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

void Observer::Report(const Event& event) {
  Count(event);
  if (is_heard() && IsNews(event)) Tell([&]() -> const Event& { return event; });
}

void Observer::Count(const Event& event) {
  switch (event.kind) {
    case EventKind::kRetry: return Add(tallies_.retries);
    case EventKind::kBudget:
      Add(tallies_.budget_waits);
      return Add(tallies_.budget_wait_us, static_cast<std::uint64_t>(event.duration / std::chrono::microseconds(1)));
    case EventKind::kFailure: return Add(tallies_.failures);
    case EventKind::kThrottle: return Add(tallies_.throttled);
    case EventKind::kStalledFirstByte:
    case EventKind::kStalledBody: return Add(tallies_.stalls);
    case EventKind::kHedgeSent: return Add(tallies_.hedges);
    case EventKind::kHedgeWon: return Add(tallies_.hedges_won);
    case EventKind::kToken: return Add(event.error == nullptr ? tallies_.token_refreshes : tallies_.token_failures);
    case EventKind::kUnverifiedRead: return Add(tallies_.unverified_reads);
    case EventKind::kRequest:
    case EventKind::kHedgeLost:
    case EventKind::kThreadShortage:
    case EventKind::kCompositionRefused:
    case EventKind::kUnannouncedOrder:
    case EventKind::kCacheUnusable: return;
  }
}

bool Observer::IsNews(const Event& event) {
  const bool is_once = event.kind == EventKind::kUnverifiedRead || event.kind == EventKind::kThreadShortage ||
                       event.kind == EventKind::kCompositionRefused;
  if (!is_once) return true;
  const MutexLock lock(mutex_);
  return told_of_.emplace(event.kind, event.bucket).second;
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
