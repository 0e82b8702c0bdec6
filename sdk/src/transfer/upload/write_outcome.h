#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace gcsflux::internal {

/// The object that is live under the name of a write whose earlier attempt may have been stored.
struct LiveObject {
  std::int64_t generation = 0;  ///< 0: none is live.
  bool is_ours = false;         ///< It holds what was sent.
  bool is_older = false;        ///< It was certainly there before the first attempt: IsCertainlyOlder().
};

/// Under which generation a write is sent.
struct WriteGuard {
  std::optional<std::int64_t> generation = {};  ///< Nothing: it replaces whatever is live.
  bool is_own = false;                          ///< An earlier look found that generation; the caller gave none.
};

/// What a look has come to.
struct WriteStep {
  enum class Kind {
    kStored,   ///< It was stored.
    kRepeat,   ///< It was not stored, or not yet: it is sent under `guard`.
    kUnknown,  ///< It may have been stored and then replaced: sending it could undo a rival's write.
  };
  Kind kind = Kind::kUnknown;
  WriteGuard guard = {};

  friend bool operator==(const WriteStep& a, const WriteStep& b) {
    return a.kind == b.kind && a.guard.generation == b.guard.generation && a.guard.is_own == b.guard.is_own;
  }
};

/// What a write does after a look. Under a condition of its own the write goes on only while that generation is live:
/// any other one was written after the first attempt.
WriteStep AfterLook(const LiveObject& live, const WriteGuard& guard);

/// How far apart the clocks may be by which the service dates its answers and its objects.
inline constexpr std::chrono::seconds kClockMargin{2};

/// Whether an object was made before the first attempt, by the service's clock alone. `answered` is the Date of the
/// answer that told of the object, which came `elapsed` after the first attempt was begun. False where it is not
/// certain: the answer has no Date, the object no time, or the two are too close.
bool IsCertainlyOlder(std::chrono::system_clock::time_point time_created,
                      std::optional<std::chrono::system_clock::time_point> answered, std::chrono::nanoseconds elapsed);

}  // namespace gcsflux::internal
