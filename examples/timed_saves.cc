#include "timed_saves.h"

#include <utility>

namespace examples {
namespace {

using Clock = std::chrono::steady_clock;
using gcsflux::CheckpointRunOptions;

// Counts the time of a scope, also where the scope throws.
class Timed {
 public:
  explicit Timed(BlockedTime& blocked) : blocked_(blocked) {}
  ~Timed() {
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    blocked_.seconds += seconds;
    if (blocked_.saves == 1) blocked_.first_seconds += seconds;
  }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  BlockedTime& blocked_;
  const Clock::time_point start_ = Clock::now();
};

CheckpointRunOptions By(SaveWay way, CheckpointRunOptions options) {
  options.async.is_lazy = way == SaveWay::kLazy;
  // Finish() returns each failure.
  options.async.on_unreported = [](const gcsflux::Error&) {};
  return options;
}

}  // namespace

std::optional<SaveWay> ParseSaveWay(std::string_view text) {
  if (text == "sync") return SaveWay::kSync;
  if (text == "eager") return SaveWay::kEager;
  if (text == "lazy") return SaveWay::kLazy;
  return std::nullopt;
}

TimedSaves::TimedSaves(const gcsflux::Client& client, const std::string& uri, CheckpointRunOptions options, SaveWay way)
    : way_(way), run_(std::in_place, client, uri, By(way, std::move(options))) {}

void TimedSaves::Save(std::int64_t step, const gcsflux::RunState& state, const gcsflux::SaveOptions& options) {
  ++blocked_.saves;
  const Timed timed(blocked_);
  if (way_ == SaveWay::kSync) {
    run_->Save(step, state, options);
    pending_.push_back({.step = step});
  } else {
    pending_.push_back({.step = step, .save = run_->SaveAsync(step, state, options)});
  }
}

void TimedSaves::AwaitCopy() {
  if (pending_.empty() || !pending_.back().save) return;
  const Timed timed(blocked_);
  pending_.back().save->WaitStaged();
}

FinishedSave TimedSaves::TakeFirst() {
  FinishedSave finished{.step = pending_.front().step};
  if (pending_.front().save) {
    const auto saved = pending_.front().save->WaitCommitted();
    if (!saved.ok()) finished.error = saved.error();
  }
  pending_.pop_front();
  return finished;
}

std::vector<FinishedSave> TimedSaves::TakeFinished() {
  std::vector<FinishedSave> finished;
  while (!pending_.empty() && (!pending_.front().save || pending_.front().save->is_done())) {
    finished.push_back(TakeFirst());
  }
  return finished;
}

std::vector<FinishedSave> TimedSaves::Finish() {
  run_.reset();
  return TakeFinished();
}

}  // namespace examples
