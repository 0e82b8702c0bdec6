#include "dataset/epoch_progress.h"

#include <algorithm>
#include <mutex>
#include <string>
#include <utility>

#include "base/process/fork.h"
#include "dataset/epoch_plan.h"

namespace gcsflux::internal {

struct EpochProgress::Shared {
  Shared(const EpochOptions& how, Cursor start) : options(how), cursor(std::move(start)), plan(PlanAt(cursor)) {}

  [[nodiscard]] EpochPlan PlanAt(const Cursor& at) const { return {options, at.listing.count, at.epoch, at.consumed}; }

  // Behind all consumed batches.
  [[nodiscard]] Cursor Position() const {
    Cursor position = cursor;
    if (consumed == plan.batches() && (consumed > 0 || has_ended)) {
      ++position.epoch;
      position.consumed = 0;
    } else if (consumed > 0) {
      position.consumed = plan.BatchAt(consumed - 1).consumed;
    }
    return position;
  }

  void Begin() {
    cursor = Position();
    Restart();
  }

  void Restart() {
    plan = PlanAt(cursor);
    handed_out = consumed = 0;
    has_ended = false;
  }

  const EpochOptions options;

  ForkSafeMutex mutex = {};  // guards what follows
  Cursor cursor;             // at the plan's beginning
  EpochPlan plan;
  std::uint64_t handed_out = 0;  // batches of the plan
  std::uint64_t consumed = 0;    // of these
  bool has_ended = false;        // The next batch was requested, but there is none.
};

Result<EpochProgress> EpochProgress::Create(const ListingFingerprint& listing, const EpochOptions& options,
                                            const std::optional<Cursor>& cursor, bool allow_changed_listing) {
  if (auto checked = CheckEpochOptions(options); !checked) return checked.error();
  if (options.order == SampleOrder::kBuffered) {
    return Error{ErrorCode::kInvalidArgument,
                 "EpochOptions::order: a shuffle buffer is for an IterableDataset; take SampleOrder::kShuffled"};
  }
  if (auto checked = CheckHasBatches(listing, options); !checked) return checked.error();
  EpochProgress progress(
      std::make_shared<Shared>(options, Cursor{.seed = options.seed, .order = options.order, .listing = listing}));
  if (!cursor) return progress;
  if (auto moved = progress.MoveTo(*cursor, allow_changed_listing); !moved) return moved.error();
  return progress;
}

Result<void> EpochProgress::MoveTo(const Cursor& cursor, bool allow_changed_listing) const {
  const std::scoped_lock lock(shared_->mutex);
  Cursor& here = shared_->cursor;
  if (auto checked = CheckCursor(cursor, here.listing, shared_->options, allow_changed_listing); !checked)
    return checked;
  here.epoch = cursor.epoch;
  here.consumed = std::min(cursor.consumed, here.listing.count);
  shared_->Restart();
  if (!shared_->plan.is_over()) return {};
  // The rest of the cursor's epoch is empty, or a tail that is dropped.
  ++here.epoch;
  here.consumed = 0;
  shared_->Restart();
  return {};
}

void EpochProgress::BeginEpoch() const {
  const std::scoped_lock lock(shared_->mutex);
  shared_->Begin();
}

std::optional<std::vector<std::size_t>> EpochProgress::NextBatch() const {
  const std::scoped_lock lock(shared_->mutex);
  const EpochPlan& plan = shared_->plan;
  shared_->has_ended = shared_->handed_out == plan.batches();
  if (shared_->has_ended) return std::nullopt;
  const EpochPlan::Batch batch = plan.BatchAt(shared_->handed_out++);
  std::vector<std::size_t> samples(static_cast<std::size_t>(batch.size));
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = plan.SampleAt(batch.first + i);
  return samples;
}

Result<void> EpochProgress::BatchConsumed() const {
  const std::scoped_lock lock(shared_->mutex);
  if (shared_->consumed == shared_->handed_out) {
    return Error{ErrorCode::kInvalidArgument, "EpochProgress::BatchConsumed: no batch is handed out and not consumed"};
  }
  ++shared_->consumed;
  return {};
}

Cursor EpochProgress::cursor() const {
  const std::scoped_lock lock(shared_->mutex);
  return shared_->Position();
}

const EpochOptions& EpochProgress::options() const { return shared_->options; }

}  // namespace gcsflux::internal
