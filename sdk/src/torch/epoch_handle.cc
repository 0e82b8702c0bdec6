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

struct EpochLoops {
  EpochLoops(DatasetHandle dataset, const EpochOptions& how) : core(std::move(dataset)), options(how) {
    position = consumed = refuge = {.cursor = BeginningOf(0)};
  }

  [[nodiscard]] Cursor BeginningOf(std::uint64_t of_epoch) const {
    return {.seed = options.seed,
            .epoch = of_epoch,
            .order = options.sample_order(),
            .shuffle_buffer = options.sample_order() == SampleOrder::kBuffered ? options.shuffle_buffer : 0,
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

  std::shared_ptr<void> Next() {
    auto next = core->Next(epoch_now());
    if (!next) {
      const MutexLock lock(mutex);
      if (const auto other = RefugeFrom(next.error())) Go(*other);
      throw StorageError(next.error());
    }
    if (!*next) {
      EndEpoch();
      return nullptr;
    }
    // If it throws, the loop has not received the batch, and the next loop begins with it.
    auto made = MadeOrThrow(**std::move(next), {core->fingerprint().bucket, core->fingerprint().prefix});
    const MutexLock lock(mutex);
    // Another worker may have a later batch.
    if (PlaceOf(position.cursor) < PlaceOf(made.cursor)) position = {.cursor = made.cursor};
    if (is_loader) handed.emplace(PlaceOf(made.cursor), made.cursor);
    return std::move(made.samples);
  }

  void EndEpoch() {
    const auto count = core->count();
    const MutexLock lock(mutex);
    if (position.cursor.epoch == epoch) {
      ++position.cursor.epoch;
      position.cursor.consumed = 0;
    }
    // No batch is consumed that would end the epoch.
    if (is_loader && count && consumed.cursor.epoch == epoch && OnlyOthersHaveBatches(*count)) consumed = position;
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

  const DatasetHandle core;
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

EpochHandle OpenEpochs(const Client& client, const ObjectName& prefix, SampleMaker maker, const EpochOptions& epochs,
                       const DatasetOptions& options) {
  ValueOrThrow(CheckEpochOptions(epochs));
  if (epochs.sample_order() == SampleOrder::kShuffled || epochs.sample_order() == SampleOrder::kGiven) {
    return OpenEpochs(client, Listing{.prefix = prefix, .objects = ListOrThrow(client, prefix, options)},
                      std::move(maker), epochs, options);
  }
  return std::make_shared<EpochLoops>(MakeLiveCore(client, prefix, std::move(maker), options), epochs);
}

EpochHandle OpenEpochs(const Client& client, Listing listing, SampleMaker maker, const EpochOptions& epochs,
                       const DatasetOptions& options) {
  return OpenEpochs(MakeCore(client, listing.prefix, std::move(listing.objects), std::move(maker), options), epochs);
}

EpochHandle OpenEpochs(DatasetHandle dataset, const EpochOptions& epochs) {
  ValueOrThrow(CheckEpochOptions(epochs));
  ValueOrThrow(CheckHasBatches(dataset->fingerprint(), epochs));
  return std::make_shared<EpochLoops>(std::move(dataset), epochs);
}

EpochHandle OpenShardEpochs(const Client& client, const ObjectName& shards, SampleMaker maker,
                            const EpochOptions& epochs, const DatasetOptions& options) {
  ValueOrThrow(CheckEpochOptions(epochs));
  auto loops = std::make_shared<EpochLoops>(MakeShardCore(client, shards, std::move(maker), options), epochs);
  ValueOrThrow(loops->core->Check(epochs, loops->position_now()));
  return loops;
}

DatasetReport ReportOf(const EpochLoops& loops, const OperationPrices& prices) { return loops.core->report(prices); }

void BeginEpoch(EpochLoops& loops, const std::optional<Cursor>& cursor, bool allow_changed_listing) {
  loops.Begin(cursor, allow_changed_listing);
}

std::shared_ptr<void> NextBatch(EpochLoops& loops) { return loops.Next(); }

Cursor PositionOf(EpochLoops& loops) { return loops.position_now().cursor; }

void BeginForLoader(EpochLoops& loops) { loops.BeginForLoader(); }

std::shared_ptr<void> NextForLoader(EpochLoops& loops, std::size_t batch_size) {
  if (batch_size != loops.options.batch_size) {
    throw StorageError({ErrorCode::kInvalidArgument,
                        "IterableDataset: the loader's batches are of " + std::to_string(batch_size) +
                            " samples, and EpochOptions::batch_size is " + std::to_string(loops.options.batch_size)});
  }
  return loops.Next();
}

void BatchConsumed(EpochLoops& loops) {
  const MutexLock lock(loops.mutex);
  if (loops.handed.empty()) {
    throw StorageError(
        {ErrorCode::kInvalidArgument, "IterableDataset::BatchConsumed: no batch is handed out and not consumed"});
  }
  auto first = loops.handed.extract(loops.handed.begin());
  // Of two workers, the one with the earlier batch may have finished it after the loop got the later one.
  if (EpochLoops::PlaceOf(loops.consumed.cursor) < first.key()) loops.consumed = {.cursor = std::move(first.mapped())};
  loops.loaded_over.reset();
}

Cursor ConsumedPositionOf(EpochLoops& loops) {
  const MutexLock lock(loops.mutex);
  return loops.consumed.cursor;
}

void MoveTo(EpochLoops& loops, const Cursor& cursor) {
  const EpochStart start{.cursor = cursor};
  ValueOrThrow(loops.core->Check(loops.options, start));
  const MutexLock lock(loops.mutex);
  if (!loops.loaded_over) loops.loaded_over = loops.consumed;
  loops.position = loops.consumed = start;
  loops.handed.clear();
}

}  // namespace gcsflux::internal
