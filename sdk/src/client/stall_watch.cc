#include "client/stall_watch.h"

namespace gcsflux::internal {

StallWatch::StallWatch(const Timing& timing, ReadPace& pace, BodyReceiver* receiver)
    : timing_(timing), pace_(pace), receiver_(receiver) {
  Enter(Phase::kFirstByte);
}

void StallWatch::Enter(Phase phase) {
  phase_ = phase;
  since_ = timing_.Now();
  block_bytes_ = 0;
  patience_ = phase == Phase::kBody ? pace_.BlockPatience() : std::nullopt;
  is_pace_known_ = patience_.has_value();
  if (!patience_) patience_ = pace_.FirstBytePatience();
  patient_since_ = since_;
}

// Records the time of this phase. If the phase has not ended, its real time is longer.
void StallWatch::Learn() {
  const auto took = timing_.Now() - since_;
  if (phase_ == Phase::kFirstByte) {
    pace_.OnFirstByte(took);
  } else {
    pace_.OnBody(block_bytes_, took);
  }
}

Result<bool> StallWatch::OnHeaders(const HttpResponse& response) {
  const bool is_success = response.status < 300;
  if (is_success) {  // The timing of failures says nothing about that of bytes.
    Learn();
    Enter(Phase::kBody);
  }
  if (receiver_ != nullptr) return receiver_->OnHeaders(response);
  body_.clear();
  if (is_success) ReserveHeld(body_, response.headers);
  return is_success;
}

Result<void> StallWatch::OnBody(std::span<const std::byte> data) {
  if (phase_ != Phase::kBody) Enter(Phase::kBody);  // The first request continued after a second one was sent.
  const auto came = timing_.Now();
  if (auto taken = receiver_ != nullptr ? receiver_->OnBody(data) : AppendHeld(body_, data); !taken) return taken;
  // The time that the receiver takes does not count.
  const auto now = timing_.Now();
  since_ += now - came;
  patient_since_ = is_pace_known_ ? patient_since_ + (now - came) : now;
  block_bytes_ += data.size();
  if (block_bytes_ < ReadPace::kBlockBytes) return {};
  Learn();
  Enter(Phase::kBody);
  return {};
}

void StallWatch::OnEnd() {
  if (phase_ == Phase::kBody) Learn();
}

std::optional<std::chrono::nanoseconds> StallWatch::TimeLeft() const {
  if (!patience_) return std::nullopt;
  return *patience_ - (timing_.Now() - patient_since_);
}

StallWatch::Stall StallWatch::TakeStall() {
  const auto kind = phase_ == Phase::kFirstByte ? EventKind::kStalledFirstByte : EventKind::kStalledBody;
  const Stall stall{kind, timing_.Now() - patient_since_, patience_.value_or(std::chrono::nanoseconds(0))};
  patience_.reset();
  return stall;
}

void StallWatch::OnSecondSent() {
  if (phase_ == Phase::kBody) block_bytes_ = ReadPace::kBlockBytes;  // A whole block would have taken at least as long.
  Learn();
  Enter(Phase::kFirstByte);
}

}  // namespace gcsflux::internal
