#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "gcsflux/epoch.h"
#include "shards/held_sample.h"

namespace gcsflux::internal {

/// A batch of one rank: its samples, and the position of the run behind it.
struct PlannedBatch {
  std::uint64_t seed = 0;  ///< EpochOptions::seed.
  std::uint64_t epoch = 0;
  std::uint64_t claimed_from = 0;         ///< It is for loops over the epochs from this one to `epoch`.
  std::vector<std::size_t> samples = {};  ///< Indices of objects; at least one.
  std::vector<HeldSample> held = {};      ///< One for each, if their bytes were read already.
  Cursor cursor = {};
};

/// Gives one batch after the other. Used by one thread at a time, under a lock: it does no I/O.
class BatchOrder {
 public:
  virtual ~BatchOrder() = default;
  /// The next batch. Nothing if it is not known yet, and at the end.
  virtual std::optional<PlannedBatch> Next() = 0;
  /// True if there will be no more batches.
  [[nodiscard]] virtual bool is_over() const = 0;
  /// How many more samples there will be, as far as known.
  [[nodiscard]] virtual std::uint64_t expected() const = 0;
  /// Why it ended early.
  [[nodiscard]] virtual std::optional<Error> error() const { return std::nullopt; }
};

/// One batch, exactly as requested, beside the order of an epoch.
class GivenBatch : public BatchOrder {
 public:
  GivenBatch(std::vector<std::size_t> samples, std::uint64_t seed, std::uint64_t epoch)
      : samples_(std::move(samples)), seed_(seed), epoch_(epoch) {}

  std::optional<PlannedBatch> Next() override {
    if (samples_.empty()) return std::nullopt;
    return PlannedBatch{.seed = seed_, .epoch = epoch_, .claimed_from = epoch_, .samples = std::exchange(samples_, {})};
  }
  [[nodiscard]] bool is_over() const override { return samples_.empty(); }
  [[nodiscard]] std::uint64_t expected() const override { return samples_.size(); }

 private:
  std::vector<std::size_t> samples_;
  std::uint64_t seed_;
  std::uint64_t epoch_;
};

}  // namespace gcsflux::internal
