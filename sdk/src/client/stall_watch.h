#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "base/timing.h"
#include "gcsflux/events.h"
#include "http/transport.h"
#include "retry/read_pace.h"

namespace gcsflux::internal {

/// Watches the answer of one read: passes its bytes on, measures the client's usual pace, and detects stalls. Used by
/// one thread.
class StallWatch : public BodyReceiver {
 public:
  /// The arguments must outlive it. If `receiver` is null, it keeps the body: TakeBody().
  StallWatch(const Timing& timing, ReadPace& pace, BodyReceiver* receiver);

  Result<bool> OnHeaders(const HttpResponse& response) override;
  Result<void> OnBody(std::span<const std::byte> data) override;
  /// The answer has ended. Its last bytes are not measured before this call.
  void OnEnd();

  /// Time until the read counts as stalled. Nothing if it never does: too little is known yet, or the stall was
  /// reported and no byte has come since.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> TimeLeft() const;

  struct Stall {
    EventKind kind;  ///< kStalledFirstByte or kStalledBody.
    std::chrono::nanoseconds stood_still;
    std::chrono::nanoseconds threshold;
  };
  /// Describes the stall. Call it once TimeLeft() is 0.
  Stall TakeStall();
  /// A second request was sent; the time for its first byte starts now.
  void OnSecondSent();

  /// The body, if there is no receiver.
  [[nodiscard]] std::string TakeBody() { return std::move(body_); }

 private:
  enum class Phase { kFirstByte, kBody };
  void Enter(Phase phase);
  void Learn();

  const Timing& timing_;
  ReadPace& pace_;
  BodyReceiver* const receiver_;
  Phase phase_ = Phase::kFirstByte;
  Timing::TimePoint since_;      // Start of this phase, or of this block of the body.
  std::size_t block_bytes_ = 0;  // Bytes of this block so far.
  std::optional<std::chrono::nanoseconds> patience_;
  Timing::TimePoint patient_since_;
  // The pace of blocks is known. Otherwise the time limit is that of a first byte, and starts again with every byte.
  bool is_pace_known_ = false;
  std::string body_;
};

}  // namespace gcsflux::internal
