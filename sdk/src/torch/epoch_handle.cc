#include <map>
#include <mutex>
#include <utility>

#include "base/object_name.h"
#include "base/process/fork.h"
#include "dataset/cursor_order.h"
#include "dataset/dataset_core.h"
#include "dataset/epoch_plan.h"
#include "dataset/fingerprint.h"
#include "gcsflux/epoch_progress.h"
#include "gcsflux/torch/dataset_handle.h"
#include "torch/make_core.h"

namespace gcsflux::internal {

struct EpochHandle::Shared {
  Shared(DatasetHandle::Core dataset, const EpochOptions& how, bool listing_goes_on)
      : core(std::move(dataset)), options(how), is_live(listing_goes_on) {
    position = consumed = {.seed = options.seed,
                           .order = options.order,
                           .shuffle_buffer = options.order == SampleOrder::kBuffered ? options.shuffle_buffer : 0,
                           .listing = core->fingerprint()};
  }

  // The start of a run that continues at the cursor. If the listing is still running, the order checks the listing.
  [[nodiscard]] Cursor Checked(Cursor cursor, bool allow_changed_listing) const {
    ValueOrThrow(CheckCursorOrder(cursor, options));
    if (is_live) return cursor;
    const ListingFingerprint& listing = core->fingerprint();
    const bool is_of_first = cursor.listing.is_partial && cursor.listing == OfFirst(cursor.listing.count);
    if (is_of_first) cursor.listing = listing;
    ValueOrThrow(CheckCursor(cursor, listing, options, allow_changed_listing));
    cursor.listing = listing;
    cursor.consumed = std::min(cursor.consumed, listing.count);
    if (!EpochPlan(options, listing.count, cursor.epoch, cursor.consumed).is_over()) return cursor;
    ++cursor.epoch;
    cursor.consumed = 0;
    return cursor;
  }

  [[nodiscard]] ListingFingerprint OfFirst(std::uint64_t count) const {
    const auto first = std::span(core->objects()).first(std::min<std::size_t>(count, core->objects().size()));
    const ListingFingerprint& listing = core->fingerprint();
    auto fingerprint = FingerprintOf({listing.bucket, listing.prefix}, first);
    fingerprint.is_partial = true;
    return fingerprint;
  }

  void Begin(const std::optional<Cursor>& cursor, bool allow_changed_listing) {
    const Cursor start = Checked(cursor.value_or(this->cursor()), allow_changed_listing || !cursor);
    {
      const std::scoped_lock lock(mutex);
      position = start;
      epoch = start.epoch;
      handed.clear();
    }
    ValueOrThrow(core->Expect(options, {start, cursor.has_value(), allow_changed_listing}));
  }

  std::optional<MadeBatch> Next() {
    auto next = ValueOrThrow(core->Next(epoch_now()));
    if (!next) {
      const std::scoped_lock lock(mutex);
      if (position.epoch == epoch) {
        ++position.epoch;
        position.consumed = 0;
      }
      return std::nullopt;
    }
    // If it throws, the loop has not received the batch, and the next loop begins with it.
    auto made = MadeOrThrow(*std::move(next), {core->fingerprint().bucket, core->fingerprint().prefix});
    const std::scoped_lock lock(mutex);
    if (PlaceOf(position) < PlaceOf(made.cursor)) position = made.cursor;  // Another worker may have a later batch.
    return made;
  }

  using Place = std::pair<std::uint64_t, std::uint64_t>;
  static Place PlaceOf(const Cursor& cursor) { return {cursor.epoch, cursor.consumed}; }

  std::uint64_t epoch_now() {
    const std::scoped_lock lock(mutex);
    return epoch;
  }
  Cursor cursor() {
    const std::scoped_lock lock(mutex);
    return position;
  }

  const DatasetHandle::Core core;
  const EpochOptions options;
  const bool is_live;

  ForkSafeMutex mutex;
  // Guarded by mutex:
  std::uint64_t epoch = 0;  // The loop's epoch.
  Cursor position;          // Behind the last batch that a loop received.
  // For a loop over a DataLoader: the positions behind the batches that were handed out and not consumed, in the order
  // of the epoch, and the position behind the consumed ones. Workers hand batches out in any order, so with several
  // workers it is exact only at the epoch's end.
  std::map<Place, Cursor> handed;
  Cursor consumed;
};

EpochHandle EpochHandle::OfPrefix(const Client& client, const ObjectName& prefix, SampleMaker maker,
                                  const EpochOptions& epochs, const DatasetOptions& options) {
  ValueOrThrow(CheckEpochOptions(epochs));
  if (epochs.order == SampleOrder::kShuffled) {
    return OfListing(client, {.prefix = prefix, .objects = ListOrThrow(client, prefix, options)}, std::move(maker),
                     epochs, options);
  }
  return EpochHandle(std::make_shared<Shared>(MakeLiveCore(client, prefix, std::move(maker), options), epochs,
                                              /*listing_goes_on=*/true));
}

EpochHandle EpochHandle::OfListing(const Client& client, ListingSnapshot listing, SampleMaker maker,
                                   const EpochOptions& epochs, const DatasetOptions& options) {
  ValueOrThrow(CheckEpochOptions(epochs));
  auto core = MakeCore(client, listing.prefix, std::move(listing.objects), std::move(maker), options);
  ValueOrThrow(CheckHasBatches(core->fingerprint(), epochs));
  return EpochHandle(std::make_shared<Shared>(std::move(core), epochs, /*listing_goes_on=*/false));
}

void EpochHandle::Begin(const std::optional<Cursor>& cursor, bool allow_changed_listing) const {
  shared_->Begin(cursor, allow_changed_listing);
}

std::optional<MadeBatch> EpochHandle::Next() const { return shared_->Next(); }

Cursor EpochHandle::cursor() const { return shared_->cursor(); }

DatasetReport EpochHandle::report(const OperationPrices& prices) const { return shared_->core->report(prices); }

void EpochHandle::BeginForLoader() const {
  const Cursor start = consumed();
  {
    const std::scoped_lock lock(shared_->mutex);
    shared_->position = start;
  }
  shared_->Begin(std::nullopt, false);
}

std::optional<MadeBatch> EpochHandle::NextForLoader(std::size_t batch_size) const {
  if (batch_size != shared_->options.batch_size) {
    throw StorageError({ErrorCode::kInvalidArgument, "IterableDataset: the loader's batches are of " +
                                                         std::to_string(batch_size) +
                                                         " samples, and EpochOptions::batch_size is " +
                                                         std::to_string(shared_->options.batch_size)});
  }
  auto made = shared_->Next();
  if (!made) return made;
  const std::scoped_lock lock(shared_->mutex);
  shared_->handed.emplace(Shared::PlaceOf(made->cursor), made->cursor);
  return made;
}

void EpochHandle::BatchConsumed() const {
  const std::scoped_lock lock(shared_->mutex);
  if (shared_->handed.empty()) {
    throw StorageError(
        {ErrorCode::kInvalidArgument, "IterableDataset::BatchConsumed: no batch is handed out and not consumed"});
  }
  auto first = shared_->handed.extract(shared_->handed.begin());
  // Of two workers, the one with the earlier batch may have finished it after the loop got the later one.
  if (Shared::PlaceOf(shared_->consumed) < first.key()) shared_->consumed = std::move(first.mapped());
}

Cursor EpochHandle::consumed() const {
  const std::scoped_lock lock(shared_->mutex);
  return shared_->consumed;
}

void EpochHandle::MoveTo(const Cursor& cursor) const {
  const Cursor start = shared_->Checked(cursor, false);
  const std::scoped_lock lock(shared_->mutex);
  shared_->position = shared_->consumed = start;
  shared_->handed.clear();
}

}  // namespace gcsflux::internal
