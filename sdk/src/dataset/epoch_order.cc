#include "dataset/epoch_order.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/object_name.h"

namespace gcsflux::internal {
namespace {

Error EmptyPrefix(const ListingFingerprint& listing) {
  return {ErrorCode::kEmptyPrefix, "dataset of " + ToUri({listing.bucket, listing.prefix}) +
                                       ": no object is stored under this prefix; check its spelling, or store the data "
                                       "first"};
}

}  // namespace

EpochOrder::EpochOrder(const EpochOptions& options, EpochStart start, const ListingFingerprint& of, bool all_epochs,
                       std::shared_ptr<const LiveListing> listing)
    : options_(options),
      start_(std::move(start)),
      of_(of),
      all_epochs_(all_epochs),
      listing_(std::move(listing)),
      buffer_(options.shuffle_buffer, options.seed, start_.cursor.epoch) {
  MoveTo(start_.cursor.epoch, start_.cursor.consumed);
}

void EpochOrder::MoveTo(std::uint64_t epoch, std::uint64_t consumed) {
  epoch_ = epoch;
  consumed_ = consumed;
  claimed_from_ = epoch;
  next_ = 0;
  plan_.reset();
  buffer_ = ShuffleBuffer(options_.shuffle_buffer, options_.seed, epoch);
}

bool EpochOrder::Fail(Error error) {
  error_ = std::move(error);
  return false;
}

Result<void> EpochOrder::Begin() {
  HasBegun(listing_->state());
  if (error_) return *error_;
  return {};
}

std::optional<PlannedBatch> EpochOrder::Next() {
  if (is_over()) return std::nullopt;
  const LiveListing::State state = listing_->state();
  if (!HasBegun(state)) return std::nullopt;
  const auto batch = BatchHere(state);
  if (!batch) return std::nullopt;
  PlannedBatch planned{
      .seed = options_.seed, .epoch = epoch_, .claimed_from = claimed_from_, .samples = SamplesOf(*batch, state)};
  const bool is_last = plan_ && next_ == plan_->batches();
  planned.cursor = {.seed = options_.seed,
                    .epoch = epoch_ + (is_last ? 1 : 0),
                    .consumed = is_last ? 0 : batch->consumed,
                    .order = options_.sample_order(),
                    .shuffle_buffer = options_.sample_order() == SampleOrder::kBuffered ? options_.shuffle_buffer : 0,
                    .order_hash = is_last ? 0 : OrderHashAt(options_, epoch_, batch->consumed),
                    .listing = Seen(state, batch->consumed)};
  return planned;
}

bool EpochOrder::is_over() const { return error_ || (plan_ && next_ == plan_->batches() && !HasNextEpoch()); }

// False if it is not given yet: then another order begins there.
bool EpochOrder::HasNextEpoch() const {
  if (!all_epochs_ || (options_.epochs && epoch_ + 1 >= *options_.epochs)) return false;
  return options_.sample_order() != SampleOrder::kGiven || FindGiven(options_, epoch_ + 1);
}

// False if the order cannot begin yet, or has failed.
bool EpochOrder::HasBegun(const LiveListing::State& state) {
  if (error_) return false;
  if (state.error) return Fail(*state.error);
  if (state.is_over && state.known == 0) return Fail(EmptyPrefix(of_));
  if (!has_begun_ && !IsOfCursor(state)) return false;
  has_begun_ = true;
  return !state.is_over || plan_ || PlanFirst(state);
}

// True if the listing is known to be that of the cursor.
bool EpochOrder::IsOfCursor(const LiveListing::State& state) {
  const Cursor& cursor = start_.cursor;
  ListingFingerprint now = cursor.listing;  // As far as nothing else is known. Another prefix is refused at once.
  now.bucket = of_.bucket;
  now.prefix = of_.prefix;
  const bool is_known = state.is_over || (now.is_partial && state.known >= now.count);
  if (is_known && !start_.allow_changed_listing) {
    now = now.is_partial ? FingerprintOfFirst(std::min<std::uint64_t>(now.count, state.known)) : Seen(state, 0);
    now.is_partial = cursor.listing.is_partial;
  }
  auto checked = CheckCursor(cursor, now, options_, start_.allow_changed_listing);
  if (!checked) return Fail(checked.error());
  return is_known || start_.allow_changed_listing;
}

// The listing is complete: the rest of the cursor's epoch is known.
bool EpochOrder::PlanFirst(const LiveListing::State& state) {
  ListingFingerprint listing = of_;
  listing.count = state.known;
  if (auto checked = CheckHasBatches(listing, options_); !checked) return Fail(checked.error());
  plan_ = PlanOf(state);
  if (!plan_->is_over()) return true;
  // The rest is empty, or a tail that is dropped: the loop that begins at the cursor gets the next epoch.
  MoveTo(epoch_ + 1, 0);
  claimed_from_ = start_.cursor.epoch;
  plan_ = PlanOf(state);
  return true;
}

EpochPlan EpochOrder::PlanOf(const LiveListing::State& state) const {
  return {options_, state.known, epoch_, consumed_};
}

std::optional<EpochPlan::Batch> EpochOrder::BatchHere(const LiveListing::State& state) {
  if (plan_) return EnterEpoch(state) ? std::optional(plan_->BatchAt(next_++)) : std::nullopt;
  if (options_.sample_order() == SampleOrder::kShuffled || options_.sample_order() == SampleOrder::kGiven)
    return std::nullopt;
  // If this batch and the next one are full, neither shares samples with the tail.
  const std::uint64_t full = options_.batch_size * options_.world_size;
  // A cursor may be behind all that is known, at any position.
  if (consumed_ > state.known || state.known - consumed_ < (next_ + 2) * full) return std::nullopt;
  const std::uint64_t begin = consumed_ + next_ * full;
  if (!IsKnownUpTo(begin + full, state)) return std::nullopt;
  ++next_;
  return EpochPlan::Batch{
      .first = begin + options_.rank * options_.batch_size, .size = options_.batch_size, .consumed = begin + full};
}

// Moves to the epoch of the next batch. False if there is none.
bool EpochOrder::EnterEpoch(const LiveListing::State& state) {
  if (next_ < plan_->batches()) return true;
  if (!HasNextEpoch()) return false;
  MoveTo(epoch_ + 1, 0);
  plan_ = PlanOf(state);
  return next_ < plan_->batches();
}

bool EpochOrder::IsKnownUpTo(std::uint64_t position, const LiveListing::State& state) const {
  return state.known >= (options_.sample_order() == SampleOrder::kBuffered ? buffer_.NeededFor(position) : position);
}

std::vector<std::size_t> EpochOrder::SamplesOf(const EpochPlan::Batch& batch, const LiveListing::State& state) {
  std::vector<std::size_t> samples;
  samples.reserve(static_cast<std::size_t>(batch.size));
  for (std::uint64_t position = batch.first; position < batch.first + batch.size; ++position) {
    if (options_.sample_order() == SampleOrder::kBuffered) {
      // A padded batch continues at the epoch's beginning.
      samples.push_back(DrawAt(plan_ ? position % state.known : position, state.known));
    } else {
      samples.push_back(static_cast<std::size_t>(plan_ ? plan_->SampleAt(position) : position));
    }
  }
  return samples;
}

std::size_t EpochOrder::DrawAt(std::uint64_t position, std::size_t known) {
  if (buffer_.drawn() > position) buffer_ = ShuffleBuffer(options_.shuffle_buffer, options_.seed, epoch_);
  while (buffer_.drawn() < position) buffer_.Draw(known);
  return buffer_.Draw(known);
}

ListingFingerprint EpochOrder::FingerprintOfFirst(std::size_t count) {
  listing_->Visit(hashed_, std::max(hashed_, count), [this](const ListedObject& object) { hash_.Add(object); });
  hashed_ = std::max(hashed_, count);
  ListingFingerprint fingerprint = of_;
  fingerprint.count = hashed_;
  fingerprint.hash = hash_.value();
  return fingerprint;
}

// The fingerprint of all objects, or of those from which the consumed samples may come.
ListingFingerprint EpochOrder::Seen(const LiveListing::State& state, std::uint64_t consumed) {
  if (!of_.is_partial) return of_;
  const bool is_buffered = options_.sample_order() == SampleOrder::kBuffered;
  const std::uint64_t seen = is_buffered ? buffer_.NeededFor(consumed) : consumed;
  ListingFingerprint fingerprint = FingerprintOfFirst(
      state.is_over ? state.known : static_cast<std::size_t>(std::min<std::uint64_t>(seen, state.known)));
  fingerprint.is_partial = !state.is_over;
  return fingerprint;
}

std::uint64_t EpochOrder::expected() const {
  const LiveListing::State state = listing_->state();
  const std::uint64_t passed = consumed_ + next_ * options_.batch_size * options_.world_size;
  const std::uint64_t all = plan_ ? plan_->count() : state.known;
  const std::uint64_t left = all - std::min(all, passed);
  return (left + (plan_ && HasNextEpoch() ? all : 0)) / options_.world_size;
}

}  // namespace gcsflux::internal
