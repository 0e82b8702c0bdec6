#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/object_name.h"
#include "base/process/mutex.h"
#include "dataset/dataset_core.h"
#include "dataset/epoch_plan.h"
#include "gcsflux/epoch.h"
#include "gcsflux/torch/dataset_handle.h"
#include "torch/make_core.h"

namespace gcsflux::internal {

struct EpochHandle::Shared {
  Shared(DatasetHandle::Core dataset, const EpochOptions& how) : core(std::move(dataset)), options(how) {
    position = consumed = refuge = {.cursor = BeginningOf(0)};
  }

  [[nodiscard]] Cursor BeginningOf(std::uint64_t of_epoch) const {
    return {.seed = options.seed,
            .epoch = of_epoch,
            .order = options.order,
            .shuffle_buffer = options.order == SampleOrder::kBuffered ? options.shuffle_buffer : 0,
            .listing = core->fingerprint()};
  }

  // A cursor that is refused changes nothing. If a loop's own position is refused, because the prefix was listed again
  // and has changed, the next loop begins the epoch again.
  void Begin(const std::optional<Cursor>& cursor, bool allow_changed_listing) {
    EpochStart start = position_now();
    const EpochStart instead = cursor ? start : EpochStart{.cursor = BeginningOf(start.cursor.epoch)};
    if (cursor) start = {*cursor, allow_changed_listing};
    Begin(start, instead, /*for_loader=*/false);
  }

  void BeginForLoader() {
    MutexLock lock(mutex);
    const EpochStart start = consumed;
    const EpochStart instead = loaded_over.value_or(EpochStart{.cursor = BeginningOf(start.cursor.epoch)});
    lock.unlock();
    Begin(start, instead, /*for_loader=*/true);
  }

  void Begin(const EpochStart& start, const EpochStart& instead, bool for_loader) {
    const auto begun = core->Expect(options, start);
    const MutexLock lock(mutex);
    refuge = instead;
    is_loader = for_loader;
    handed.clear();
    Go(begun ? start : RefugeFrom(begun.error()).value_or(position));
    ValueOrThrow(begun);
  }

  // Where the next loop begins after this error, if it is another place.
  [[nodiscard]] std::optional<EpochStart> RefugeFrom(const Error& error) REQUIRES(mutex) {
    if (error.code != ErrorCode::kInvalidArgument) return std::nullopt;
    if (is_loader) consumed = refuge;
    if (is_loader) loaded_over.reset();
    return refuge;
  }

  void Go(const EpochStart& start) REQUIRES(mutex) {
    position = start;
    epoch = start.cursor.epoch;
  }

  std::optional<MadeBatch> Next() {
    auto next = core->Next(epoch_now());
    if (!next) {
      const MutexLock lock(mutex);
      if (const auto other = RefugeFrom(next.error())) Go(*other);
      throw StorageError(next.error());
    }
    if (!*next) return EndEpoch();
    // If it throws, the loop has not received the batch, and the next loop begins with it.
    auto made = MadeOrThrow(**std::move(next), {core->fingerprint().bucket, core->fingerprint().prefix});
    const MutexLock lock(mutex);
    // Another worker may have a later batch.
    if (PlaceOf(position.cursor) < PlaceOf(made.cursor)) position = {.cursor = made.cursor};
    if (is_loader) handed.emplace(PlaceOf(made.cursor), made.cursor);
    return made;
  }

  std::nullopt_t EndEpoch() {
    const auto count = core->count();
    const MutexLock lock(mutex);
    if (position.cursor.epoch == epoch) {
      ++position.cursor.epoch;
      position.cursor.consumed = 0;
    }
    // No batch is consumed that would end the epoch.
    if (is_loader && count && consumed.cursor.epoch == epoch && OnlyOthersHaveBatches(*count)) consumed = position;
    return std::nullopt;
  }

  [[nodiscard]] bool OnlyOthersHaveBatches(std::uint64_t count) const REQUIRES(mutex) {
    const EpochPlan rest(options, count, epoch, consumed.cursor.consumed);
    return rest.batches() == 0 && !rest.is_over();
  }

  using Place = std::pair<std::uint64_t, std::uint64_t>;
  static Place PlaceOf(const Cursor& cursor) { return {cursor.epoch, cursor.consumed}; }

  std::uint64_t epoch_now() {
    const MutexLock lock(mutex);
    return epoch;
  }
  EpochStart position_now() {
    const MutexLock lock(mutex);
    return position;
  }

  const DatasetHandle::Core core;
  const EpochOptions options;

  LeafMutex mutex;
  std::uint64_t epoch GUARDED_BY(mutex) = 0;  // The loop's epoch.
  bool is_loader GUARDED_BY(mutex) = false;   // The loop is a DataLoader's.
  EpochStart position GUARDED_BY(mutex);      // Behind the last batch that a loop received.
  EpochStart refuge GUARDED_BY(mutex);        // Where the next loop begins if the position is refused.
  // For a loop over a DataLoader: the positions behind the batches that were handed out and not consumed, in the order
  // of the epoch, and the position behind the consumed ones. Workers hand batches out in any order, so with several
  // workers it is exact only at the epoch's end.
  std::map<Place, Cursor> handed GUARDED_BY(mutex);
  EpochStart consumed GUARDED_BY(mutex);
  std::optional<EpochStart> loaded_over GUARDED_BY(mutex);  // What `consumed` was before MoveTo().
};

EpochHandle EpochHandle::OfPrefix(const Client& client, const ObjectName& prefix, SampleMaker maker,
                                  const EpochOptions& epochs, const DatasetOptions& options) {
  ValueOrThrow(CheckEpochOptions(epochs));
  if (epochs.order == SampleOrder::kShuffled || epochs.order == SampleOrder::kGiven) {
    return OfListing(client, {.prefix = prefix, .objects = ListOrThrow(client, prefix, options)}, std::move(maker),
                     epochs, options);
  }
  return EpochHandle(std::make_shared<Shared>(MakeLiveCore(client, prefix, std::move(maker), options), epochs));
}

EpochHandle EpochHandle::OfListing(const Client& client, Listing listing, SampleMaker maker, const EpochOptions& epochs,
                                   const DatasetOptions& options) {
  ValueOrThrow(CheckEpochOptions(epochs));
  auto core = MakeCore(client, listing.prefix, std::move(listing.objects), std::move(maker), options);
  ValueOrThrow(CheckHasBatches(core->fingerprint(), epochs));
  return EpochHandle(std::make_shared<Shared>(std::move(core), epochs));
}

void EpochHandle::Begin(const std::optional<Cursor>& cursor, bool allow_changed_listing) const {
  shared_->Begin(cursor, allow_changed_listing);
}

std::optional<MadeBatch> EpochHandle::Next() const { return shared_->Next(); }

Cursor EpochHandle::cursor() const { return shared_->position_now().cursor; }

DatasetReport EpochHandle::report(const OperationPrices& prices) const { return shared_->core->report(prices); }

void EpochHandle::BeginForLoader() const { shared_->BeginForLoader(); }

std::optional<MadeBatch> EpochHandle::NextForLoader(std::size_t batch_size) const {
  if (batch_size != shared_->options.batch_size) {
    throw StorageError({ErrorCode::kInvalidArgument, "IterableDataset: the loader's batches are of " +
                                                         std::to_string(batch_size) +
                                                         " samples, and EpochOptions::batch_size is " +
                                                         std::to_string(shared_->options.batch_size)});
  }
  return shared_->Next();
}

void EpochHandle::BatchConsumed() const {
  const MutexLock lock(shared_->mutex);
  if (shared_->handed.empty()) {
    throw StorageError(
        {ErrorCode::kInvalidArgument, "IterableDataset::BatchConsumed: no batch is handed out and not consumed"});
  }
  auto first = shared_->handed.extract(shared_->handed.begin());
  // Of two workers, the one with the earlier batch may have finished it after the loop got the later one.
  if (Shared::PlaceOf(shared_->consumed.cursor) < first.key())
    shared_->consumed = {.cursor = std::move(first.mapped())};
  shared_->loaded_over.reset();
}

Cursor EpochHandle::consumed() const {
  const MutexLock lock(shared_->mutex);
  return shared_->consumed.cursor;
}

void EpochHandle::MoveTo(const Cursor& cursor) const {
  const EpochStart start{.cursor = cursor};
  ValueOrThrow(shared_->core->Check(shared_->options, start));
  const MutexLock lock(shared_->mutex);
  if (!shared_->loaded_over) shared_->loaded_over = shared_->consumed;
  shared_->position = shared_->consumed = start;
  shared_->handed.clear();
}

}  // namespace gcsflux::internal
