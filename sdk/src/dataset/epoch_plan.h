#pragma once

#include <cstdint>
#include <optional>

#include "dataset/given_order.h"
#include "dataset/permutation.h"
#include "gcsflux/epoch.h"

namespace gcsflux::internal {

/// Returns kInvalidArgument with the member's name if one of them is out of its range.
Result<void> CheckEpochOptions(const EpochOptions& options);

/// Returns kInvalidArgument if an epoch of the listing has no batch for the rank.
Result<void> CheckHasBatches(const ListingFingerprint& listing, const EpochOptions& options);

/// The rest of one epoch for one rank: its batches, and the position of the run after each. Pure; thread-safe.
class EpochPlan {
 public:
  /// For `count` objects. All ranks together have used `consumed` samples of the epoch; more than it has count as all.
  /// A given order must be prepared: if it is not, the plan is over.
  EpochPlan(const EpochOptions& options, std::uint64_t count, std::uint64_t epoch, std::uint64_t consumed);

  /// Samples of the epoch, of all ranks.
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// How many batches the rank has.
  [[nodiscard]] std::uint64_t batches() const {
    return global_batches_ - (global_batches_ > 0 && options_.rank >= last_size_ ? 1 : 0);
  }
  /// True if no rank has a batch.
  [[nodiscard]] bool is_over() const { return global_batches_ == 0; }
  /// Samples that no rank uses, and samples that are used twice, by the rule for the tail.
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }
  [[nodiscard]] std::uint64_t padded() const { return padded_; }

  struct Batch {
    std::uint64_t first = 0;  ///< Its positions in the epoch's order are [first, first + size).
    std::uint64_t size = 0;   ///< At least 1.
    /// By all ranks, after each has used its batch of this index. `count` after the last one.
    std::uint64_t consumed = 0;
  };
  /// For an index below batches().
  [[nodiscard]] Batch BatchAt(std::uint64_t index) const;

  /// The sample at a position; the position may be in a padded batch.
  [[nodiscard]] std::uint64_t SampleAt(std::uint64_t position) const;

 private:
  [[nodiscard]] std::uint64_t SizeOfAll(std::uint64_t index) const;
  [[nodiscard]] std::uint64_t full_size() const { return options_.batch_size * options_.world_size; }

  EpochOptions options_;
  GivenEpoch given_;  // Null for other orders.
  std::uint64_t count_;
  std::uint64_t consumed_;
  // Of all ranks together: the number of batches, and the samples of the last one and of the one before it, which may
  // be smaller.
  std::uint64_t global_batches_ = 0;
  std::uint64_t last_size_ = 0;
  std::uint64_t before_last_size_ = 0;
  std::uint64_t dropped_ = 0;
  std::uint64_t padded_ = 0;
  std::optional<Permutation> permutation_;
};

}  // namespace gcsflux::internal
