#include "transfer/upload/write_outcome.h"

namespace gcsflux::internal {

WriteStep AfterReadBack(const LiveObject& live, const WriteGuard& guard) {
  using Kind = WriteStep::Kind;
  if (live.is_ours) return {Kind::kStored, guard};
  if (guard.generation) {
    // The service judges the caller's own precondition.
    const bool may_repeat = !guard.is_own || live.generation == *guard.generation;
    return {may_repeat ? Kind::kRepeat : Kind::kUnknown, guard};
  }
  const bool may_repeat = live.generation == 0 || live.is_older;
  return {may_repeat ? Kind::kRepeat : Kind::kUnknown, {live.generation, /*is_own=*/true}};
}

bool IsCertainlyOlder(std::chrono::system_clock::time_point time_created,
                      std::optional<std::chrono::system_clock::time_point> answered, std::chrono::nanoseconds elapsed) {
  if (!answered || time_created == std::chrono::system_clock::time_point()) return false;
  // A Date is rounded down, and `elapsed` includes the time of the answer's transfer: both make this earlier than the
  // first attempt.
  return time_created < *answered - elapsed - kClockMargin;
}

}  // namespace gcsflux::internal
