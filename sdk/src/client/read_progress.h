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

/// How the answer of one read comes in: passes it on, teaches the client's pace, and tells when it stands still. Used
/// by one thread.
class ReadProgress : public BodyReceiver {
 public:
  /// What is passed must outlive it. Where `receiver` is null the body is kept here: TakeBody().
  ReadProgress(const Timing& timing, ReadPace& pace, BodyReceiver* receiver);

  Result<bool> OnHeaders(const HttpResponse& response) override;
  Result<void> OnBody(std::span<const std::byte> data) override;
  /// The answer is over. Until then its last bytes teach nothing.
  void OnEnd();

  /// How long until it counts as standing still; nothing where it never does: too little is known yet, or it was told
  /// before and nothing has come since.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> TimeLeft() const;

  struct Stall {
    StallEvent::Phase phase;
    std::chrono::nanoseconds stood_still;
    std::chrono::nanoseconds threshold;
  };
  /// It stands still: how. To be called once TimeLeft() is 0.
  Stall TakeStall();
  /// Another request was sent beside it, for whose first byte the time runs from now.
  void OnSecondSent();

  /// What no receiver took.
  [[nodiscard]] std::string TakeBody() { return std::move(body_); }

 private:
  using Phase = StallEvent::Phase;
  void Enter(Phase phase);
  void Learn();

  const Timing& timing_;
  ReadPace& pace_;
  BodyReceiver* const receiver_;
  Phase phase_ = Phase::kFirstByte;
  Timing::TimePoint since_;      // this phase, or this block of the body
  std::size_t block_bytes_ = 0;  // that have come of the block
  std::optional<std::chrono::nanoseconds> patience_;
  Timing::TimePoint patient_since_;
  bool is_pace_known_ = false;  // of blocks; else the patience is that for a first byte, and begins with every byte
  std::string body_;
};

}  // namespace gcsflux::internal
