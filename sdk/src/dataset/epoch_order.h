#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "dataset/batch_order.h"
#include "dataset/epoch_plan.h"
#include "dataset/fingerprint.h"
#include "dataset/live_listing.h"
#include "dataset/shuffle_buffer.h"
#include "gcsflux/epoch.h"

namespace gcsflux::internal {

/// Where an order begins.
struct EpochStart {
  /// If its listing is another one, the order ends with kInvalidArgument as soon as that is known.
  Cursor cursor = {};
  bool allow_changed_listing = false;

  friend bool operator==(const EpochStart&, const EpochStart&) = default;
};

/// The batches of one rank over a listing, which may still run: of one epoch, or of all epochs without end. They are
/// the same as those of the complete listing. By name and from a shuffle buffer, a batch is given as soon as it is
/// known to be full, or the length of the tail is known; shuffled, when the listing is complete.
class EpochOrder : public BatchOrder {
 public:
  /// `of` is the listing's fingerprint if it is complete; otherwise its bucket and prefix, and is_partial.
  EpochOrder(const EpochOptions& options, EpochStart start, const ListingFingerprint& of, bool all_epochs,
             std::shared_ptr<const LiveListing> listing);

  /// Checks what is known of the listing. Returns why the order has ended, if it has.
  Result<void> Begin();

  std::optional<PlannedBatch> Next() override;
  [[nodiscard]] bool is_over() const override;
  /// Of this epoch, and of the next one if there is one.
  [[nodiscard]] std::uint64_t expected() const override;
  [[nodiscard]] std::optional<Error> error() const override { return error_; }

 private:
  bool HasBegun(const LiveListing::State& state);
  bool IsOfCursor(const LiveListing::State& state);
  bool PlanFirst(const LiveListing::State& state);
  std::optional<EpochPlan::Batch> BatchHere(const LiveListing::State& state);
  bool EnterEpoch(const LiveListing::State& state);
  [[nodiscard]] bool HasNextEpoch() const;
  [[nodiscard]] EpochPlan PlanOf(const LiveListing::State& state) const;
  [[nodiscard]] bool IsKnownUpTo(std::uint64_t position, const LiveListing::State& state) const;
  std::vector<std::size_t> SamplesOf(const EpochPlan::Batch& batch, const LiveListing::State& state);
  std::size_t DrawAt(std::uint64_t position, std::size_t known);
  ListingFingerprint FingerprintOfFirst(std::size_t count);
  [[nodiscard]] ListingFingerprint Seen(const LiveListing::State& state, std::uint64_t consumed);
  void MoveTo(std::uint64_t epoch, std::uint64_t consumed);
  bool Fail(Error error);

  const EpochOptions options_;
  const EpochStart start_;
  const ListingFingerprint of_;
  const bool all_epochs_;
  const std::shared_ptr<const LiveListing> listing_;
  bool has_begun_ = false;
  std::optional<Error> error_ = {};

  // The position: batch `next_` of an epoch in which `consumed_` samples were used before.
  std::uint64_t epoch_ = 0;
  std::uint64_t claimed_from_ = 0;
  std::uint64_t consumed_ = 0;
  std::uint64_t next_ = 0;
  std::optional<EpochPlan> plan_ = {};  // Present when the listing is complete.
  ShuffleBuffer buffer_;

  ListingHash hash_;  // Of the first `hashed_` objects.
  std::size_t hashed_ = 0;
};

}  // namespace gcsflux::internal
