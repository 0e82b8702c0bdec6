#include "dataset/epoch_progress.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/process/mutex.h"
#include "dataset/epoch_plan.h"

namespace gcsflux::internal {

struct EpochProgress::Shared {
  Shared(const EpochOptions& how, Cursor start) : options(how), cursor(std::move(start)), plan(PlanAt(cursor)) {}

  [[nodiscard]] EpochPlan PlanAt(const Cursor& at) const { return {options, at.listing.count, at.epoch, at.consumed}; }

  // Behind all consumed batches.
  [[nodiscard]] Cursor Position() const REQUIRES(mutex) {
    Cursor position = cursor;
    if (consumed == plan.batches() && (consumed > 0 || has_ended)) {
      ++position.epoch;
      position.consumed = 0;
    } else if (consumed > 0) {
      position.consumed = plan.BatchAt(consumed - 1).consumed;
    }
    position.order_hash = OrderHashAt(options, position.epoch, position.consumed);
    return position;
  }

  void Begin() REQUIRES(mutex) {
    cursor = Position();
    Restart();
  }

  void Restart() REQUIRES(mutex) {
    plan = PlanAt(cursor);
    handed_out = consumed = 0;
    has_ended = false;
  }

  const EpochOptions options;

  LeafMutex mutex = {};
  Cursor cursor GUARDED_BY(mutex);  // at the plan's beginning
  EpochPlan plan GUARDED_BY(mutex);
  std::uint64_t handed_out GUARDED_BY(mutex) = 0;  // batches of the plan
  std::uint64_t consumed GUARDED_BY(mutex) = 0;    // of these
  bool has_ended GUARDED_BY(mutex) = false;        // The next batch was requested, but there is none.
};

Result<EpochProgress> EpochProgress::Create(const ListingFingerprint& listing, const EpochOptions& options,
                                            const std::optional<Cursor>& cursor, bool allow_changed_listing) {
  if (auto checked = CheckEpochOptions(options); !checked) return checked.error();
  if (options.sample_order() == SampleOrder::kBuffered) {
    return Error{ErrorCode::kInvalidArgument,
                 "EpochOptions::order: a shuffle buffer is for an IterableDataset; take SampleOrder::kShuffled"};
  }
  if (auto checked = CheckHasBatches(listing, options); !checked) return checked.error();
  if (!cursor) {
    if (auto prepared = PrepareGivenFrom(options, listing.count, 0); !prepared) return prepared.error();
  }
  EpochProgress progress(std::make_shared<Shared>(
      options, Cursor{.seed = options.seed, .order = options.sample_order(), .listing = listing}));
  if (!cursor) return progress;
  if (auto moved = progress.MoveTo(*cursor, allow_changed_listing); !moved) return moved.error();
  return progress;
}

Result<void> EpochProgress::MoveTo(const Cursor& cursor, bool allow_changed_listing) const {
  // Without the lock: a given order is the caller's code.
  const EpochOptions& options = shared_->options;
  const ListingFingerprint listing = this->cursor().listing;
  if (auto checked = CheckCursor(cursor, listing, options, allow_changed_listing); !checked) return checked;
  if (auto prepared = PrepareGivenFrom(options, listing.count, cursor.epoch); !prepared) return prepared;
  const internal::MutexLock lock(shared_->mutex);
  Cursor& here = shared_->cursor;
  here.epoch = cursor.epoch;
  here.consumed = std::min(cursor.consumed, SamplesOfEpoch(options, listing.count, cursor.epoch));
  shared_->Restart();
  if (!shared_->plan.is_over()) return {};
  // The rest of the cursor's epoch is empty, or a tail that is dropped.
  ++here.epoch;
  here.consumed = 0;
  shared_->Restart();
  return {};
}

Result<void> EpochProgress::BeginEpoch() const {
  const Cursor next = cursor();
  if (auto prepared = PrepareGivenFrom(shared_->options, next.listing.count, next.epoch); !prepared) return prepared;
  const internal::MutexLock lock(shared_->mutex);
  shared_->Begin();
  return {};
}

std::optional<std::vector<std::size_t>> EpochProgress::NextBatch() const {
  Shared& shared = *shared_;
  const internal::MutexLock lock(shared.mutex);
  shared.has_ended = shared.handed_out == shared.plan.batches();
  if (shared.has_ended) return std::nullopt;
  const EpochPlan::Batch batch = shared.plan.BatchAt(shared.handed_out++);
  std::vector<std::size_t> samples(static_cast<std::size_t>(batch.size));
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = shared.plan.SampleAt(batch.first + i);
  return samples;
}

Result<void> EpochProgress::BatchConsumed() const {
  const internal::MutexLock lock(shared_->mutex);
  if (shared_->consumed == shared_->handed_out) {
    return Error{ErrorCode::kInvalidArgument, "EpochProgress::BatchConsumed: no batch is handed out and not consumed"};
  }
  ++shared_->consumed;
  return {};
}

Cursor EpochProgress::cursor() const {
  const internal::MutexLock lock(shared_->mutex);
  return shared_->Position();
}

const EpochOptions& EpochProgress::options() const { return shared_->options; }

}  // namespace gcsflux::internal
