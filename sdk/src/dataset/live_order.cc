#include "dataset/live_order.h"

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

LiveOrder::LiveOrder(const EpochOptions& options, Start start, std::shared_ptr<const LiveListing> listing)
    : options_(options),
      start_(std::move(start)),
      listing_(std::move(listing)),
      buffer_(options.shuffle_buffer, options.seed, start_.cursor.epoch) {
  BeginEpoch(start_.cursor.epoch, start_.cursor.consumed);
}

void LiveOrder::BeginEpoch(std::uint64_t epoch, std::uint64_t consumed) {
  epoch_ = epoch;
  consumed_ = consumed;
  next_ = 0;
  plan_.reset();
  buffer_ = ShuffleBuffer(options_.shuffle_buffer, options_.seed, epoch);
}

void LiveOrder::Fail(Error error) { error_ = std::move(error); }

std::optional<PlannedBatch> LiveOrder::Next() {
  if (is_over()) return std::nullopt;
  const LiveListing::State state = listing_->state();
  if (state.error) return Fail(*state.error), std::nullopt;
  if (state.is_over && state.known == 0) return Fail(EmptyPrefix(start_.cursor.listing)), std::nullopt;
  if (!has_begun_ && !MayBegin(state)) return std::nullopt;
  has_begun_ = true;
  const auto batch = BatchHere(state);
  if (!batch) return std::nullopt;
  PlannedBatch planned{.epoch = epoch_, .samples = SamplesOf(*batch, state)};
  const bool is_last = plan_ && next_ == plan_->batches();
  planned.cursor = {.seed = options_.seed,
                    .epoch = epoch_ + (is_last ? 1 : 0),
                    .consumed = is_last ? 0 : batch->consumed,
                    .order = options_.order,
                    .shuffle_buffer = options_.order == SampleOrder::kBuffered ? options_.shuffle_buffer : 0,
                    .listing = Seen(state, batch->consumed)};
  return planned;
}

// True if the listing is known to be that of the cursor.
bool LiveOrder::MayBegin(const LiveListing::State& state) {
  const ListingFingerprint& then = start_.cursor.listing;
  if (!start_.is_resumed || start_.allow_changed_listing) return true;
  if (!state.is_over && (!then.is_partial || state.known < then.count)) return false;
  ListingFingerprint now =
      FingerprintOfFirst(then.is_partial ? std::min<std::size_t>(then.count, state.known) : state.known);
  now.is_partial = then.is_partial;
  if (auto checked = CheckCursor(start_.cursor, now, options_); !checked) Fail(checked.error());
  return !error_;
}

std::optional<EpochPlan::Batch> LiveOrder::BatchHere(const LiveListing::State& state) {
  if (state.is_over) return EnterEpoch(state) ? std::optional(plan_->BatchAt(next_++)) : std::nullopt;
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
bool LiveOrder::EnterEpoch(const LiveListing::State& state) {
  const auto plan = [&] {
    return EpochPlan(options_, state.known, epoch_, std::min<std::uint64_t>(consumed_, state.known));
  };
  if (!plan_) plan_ = plan();
  if (next_ < plan_->batches()) return true;
  if (!start_.all_epochs) {
    has_ended_ = true;
    return false;
  }
  BeginEpoch(epoch_ + 1, 0);
  plan_ = plan();
  if (plan_->batches() > 0) return true;
  ListingFingerprint listing = start_.cursor.listing;
  listing.count = state.known;
  if (auto checked = CheckHasBatches(listing, options_); !checked) Fail(checked.error());
  return false;
}

bool LiveOrder::IsKnownUpTo(std::uint64_t position, const LiveListing::State& state) const {
  return state.known >= (options_.order == SampleOrder::kBuffered ? buffer_.NeededFor(position) : position);
}

std::vector<std::size_t> LiveOrder::SamplesOf(const EpochPlan::Batch& batch, const LiveListing::State& state) {
  std::vector<std::size_t> samples;
  samples.reserve(static_cast<std::size_t>(batch.size));
  for (std::uint64_t position = batch.first; position < batch.first + batch.size; ++position) {
    // A padded batch continues at the epoch's beginning.
    const std::uint64_t wanted = state.is_over ? position % state.known : position;
    samples.push_back(options_.order == SampleOrder::kBuffered ? DrawAt(wanted, state.known) : wanted);
  }
  return samples;
}

std::size_t LiveOrder::DrawAt(std::uint64_t position, std::size_t known) {
  if (buffer_.drawn() > position) buffer_ = ShuffleBuffer(options_.shuffle_buffer, options_.seed, epoch_);
  while (buffer_.drawn() < position) buffer_.Draw(known);
  return buffer_.Draw(known);
}

ListingFingerprint LiveOrder::FingerprintOfFirst(std::size_t count) {
  listing_->Visit(hashed_, std::max(hashed_, count), [this](const ListedObject& object) { hash_.Add(object); });
  hashed_ = std::max(hashed_, count);
  ListingFingerprint fingerprint = start_.cursor.listing;
  fingerprint.count = hashed_;
  fingerprint.hash = hash_.value();
  return fingerprint;
}

// The fingerprint of all objects, or of those from which the consumed samples may come.
ListingFingerprint LiveOrder::Seen(const LiveListing::State& state, std::uint64_t consumed) {
  const bool is_buffered = options_.order == SampleOrder::kBuffered;
  const std::uint64_t seen = is_buffered ? buffer_.NeededFor(consumed) : consumed;
  ListingFingerprint fingerprint = FingerprintOfFirst(
      state.is_over ? state.known : static_cast<std::size_t>(std::min<std::uint64_t>(seen, state.known)));
  fingerprint.is_partial = !state.is_over;
  return fingerprint;
}

std::uint64_t LiveOrder::expected() const {
  const LiveListing::State state = listing_->state();
  const std::uint64_t passed = consumed_ + next_ * options_.batch_size * options_.world_size;
  return (state.known - std::min<std::uint64_t>(state.known, passed)) / options_.world_size;
}

}  // namespace gcsflux::internal
