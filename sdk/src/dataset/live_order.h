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

/// The batches of one rank over a listing that may still run, by name or from a shuffle buffer. They are the same as
/// those of the complete listing. A batch is given as soon as it is known to be full, or the length of the tail is
/// known.
class LiveOrder : public BatchOrder {
 public:
  struct Start {
    Cursor cursor = {};  ///< With at least the bucket and the prefix.
    /// The cursor is of an earlier run: the order begins when as many objects are listed as at that time.
    bool is_resumed = false;
    bool allow_changed_listing = false;
    bool all_epochs = true;
  };
  LiveOrder(const EpochOptions& options, Start start, std::shared_ptr<const LiveListing> listing);

  std::optional<PlannedBatch> Next() override;
  [[nodiscard]] bool is_over() const override { return error_ || has_ended_; }
  [[nodiscard]] std::uint64_t expected() const override;
  [[nodiscard]] std::optional<Error> error() const override { return error_; }

 private:
  bool MayBegin(const LiveListing::State& state);
  std::optional<EpochPlan::Batch> BatchHere(const LiveListing::State& state);
  bool EnterEpoch(const LiveListing::State& state);
  [[nodiscard]] bool IsKnownUpTo(std::uint64_t position, const LiveListing::State& state) const;
  std::vector<std::size_t> SamplesOf(const EpochPlan::Batch& batch, const LiveListing::State& state);
  std::size_t DrawAt(std::uint64_t position, std::size_t known);
  ListingFingerprint FingerprintOfFirst(std::size_t count);
  [[nodiscard]] ListingFingerprint Seen(const LiveListing::State& state, std::uint64_t consumed);
  void BeginEpoch(std::uint64_t epoch, std::uint64_t consumed);
  void Fail(Error error);

  const EpochOptions options_;
  const Start start_;
  const std::shared_ptr<const LiveListing> listing_;
  bool has_begun_ = false;
  bool has_ended_ = false;
  std::optional<Error> error_ = {};

  // The position: batch `next_` of an epoch in which `consumed_` samples were used before.
  std::uint64_t epoch_ = 0;
  std::uint64_t consumed_ = 0;
  std::uint64_t next_ = 0;
  std::optional<EpochPlan> plan_ = {};  // Present when the listing is complete.
  ShuffleBuffer buffer_;

  ListingHash hash_;  // Of the first `hashed_` objects.
  std::size_t hashed_ = 0;
};

}  // namespace gcsflux::internal
