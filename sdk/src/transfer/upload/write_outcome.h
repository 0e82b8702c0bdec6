#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace gcsflux::internal {

/// The live object under the name of a write, if an earlier attempt of the write may have been stored.
struct LiveObject {
  std::int64_t generation = 0;  ///< 0: none is live.
  bool is_ours = false;         ///< It has the bytes that were sent.
  bool is_older = false;        ///< It certainly existed before the first attempt: IsCertainlyOlder().
};

/// The generation precondition of a write.
struct WriteGuard {
  std::optional<std::int64_t> generation = {};  ///< Absent: it replaces any object.
  bool is_own = false;                          ///< An earlier look found that generation; the caller gave none.
};

/// The decision after a look.
struct WriteStep {
  enum class Kind {
    kStored,   ///< It was stored.
    kRepeat,   ///< It was not stored, or not yet: it is sent with `guard`.
    kUnknown,  ///< It may have been stored and then replaced. Sending it could undo another writer's write.
  };
  Kind kind = Kind::kUnknown;
  WriteGuard guard = {};

  friend bool operator==(const WriteStep& a, const WriteStep& b) {
    return a.kind == b.kind && a.guard.generation == b.guard.generation && a.guard.is_own == b.guard.is_own;
  }
};

/// What a write does after a look. If the caller gave a generation, the write continues only while that generation is
/// live, because any other one was written after the first attempt.
WriteStep AfterReadBack(const LiveObject& live, const WriteGuard& guard);

/// The largest difference between the clocks that date the service's answers and its objects.
inline constexpr std::chrono::seconds kClockMargin{2};

/// Whether an object certainly existed before the first attempt, by the service's clock alone. `answered` is the Date
/// of the answer that described the object; that answer came `elapsed` after the start of the first attempt. False if
/// it is not certain: the answer has no Date, the object no time, or the two are too close.
bool IsCertainlyOlder(std::chrono::system_clock::time_point time_created,
                      std::optional<std::chrono::system_clock::time_point> answered, std::chrono::nanoseconds elapsed);

}  // namespace gcsflux::internal
