#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "dataset/batch_order.h"
#include "dataset/epoch_order.h"
#include "dataset/permutation.h"
#include "dataset/shuffle_buffer.h"
#include "gcsflux/epoch.h"
#include "shards/shard_scan.h"

namespace gcsflux::internal {

/// Which shards a rank reads in which order: every world_size-th of the epoch's order, which is that of the listing, or
/// under kShuffled a permutation. Pure; for one thread at a time.
class ShardPlaces {
 public:
  ShardPlaces(const EpochOptions& options, std::size_t shards) : options_(options), shards_(shards) {}

  /// The shard at a place among those of the rank. Nothing behind the last one.
  std::optional<std::size_t> At(std::uint64_t epoch, std::uint64_t place);

 private:
  const EpochOptions options_;
  const std::size_t shards_;
  std::optional<std::uint64_t> epoch_ = {};
  std::optional<Permutation> permutation_ = {};
};

/// Checks that a run over shards without an index can begin there. Returns kInvalidArgument if there are fewer shards
/// than ranks, the order needs to know all samples, or the cursor is of another run.
Result<void> CheckShardStart(const EpochOptions& options, const EpochStart& start, const ListingFingerprint& shards);

/// Where the scan of a run that begins there begins.
ShardPosition PositionOf(const EpochStart& start);

/// The batches of one rank over shards that are being scanned: by name, or under kShuffled and kBuffered drawn from a
/// buffer of the next EpochOptions::shuffle_buffer samples. They depend on the options and the shards alone.
class ShardOrder : public BatchOrder {
 public:
  /// `scanned` are the samples from PositionOf(start) on. The start was checked.
  ShardOrder(const EpochOptions& options, const EpochStart& start, ListingFingerprint shards, bool all_epochs,
             std::shared_ptr<ScannedSamples> scanned);

  std::optional<PlannedBatch> Next() override;
  [[nodiscard]] bool is_over() const override { return error_ || is_over_; }
  [[nodiscard]] std::uint64_t expected() const override { return held_.size(); }
  [[nodiscard]] std::optional<Error> error() const override { return error_; }

 private:
  struct ShardBegin {
    std::uint64_t shard = 0;
    std::uint64_t first = 0;  // Number of its first sample in the epoch.
  };
  void Begin(std::uint64_t epoch);
  Result<void> Resume(std::uint64_t consumed, const ShardPosition& position);
  bool Fill();
  void Add(ScannedItem item);
  void EndEpoch();
  [[nodiscard]] std::uint64_t BatchSize() const;
  void DrawInto(PlannedBatch& batch, std::uint64_t size);
  [[nodiscard]] ShardPosition PositionHere();
  [[nodiscard]] Cursor CursorHere(bool is_last);
  // Samples of the epoch that are not drawn, if all are known.
  [[nodiscard]] std::uint64_t left() const { return known_ - std::min<std::uint64_t>(known_, buffer_.drawn()); }

  const EpochOptions options_;
  const ListingFingerprint shards_;
  const bool all_epochs_;
  const std::shared_ptr<ScannedSamples> scanned_;
  std::optional<Error> error_ = {};
  bool is_over_ = false;

  std::uint64_t epoch_ = 0;
  std::uint64_t claimed_from_ = 0;
  ShuffleBuffer buffer_;                                   // Of numbers of samples in the epoch.
  std::unordered_map<std::size_t, HeldSample> held_ = {};  // Read and not drawn.
  std::deque<ShardBegin> begins_ = {};
  std::vector<bool> drawn_before_ = {};  // After a resumption, from `first_read_` on: drawn before it.
  std::uint64_t first_read_ = 0;
  std::uint64_t known_ = 0;  // Samples of the epoch that were read or passed over.
  bool is_known_ = false;    // There are no more.
};

}  // namespace gcsflux::internal
