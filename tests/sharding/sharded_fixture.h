#pragma once

#include <utility>
#include <vector>

#include "checkpoints/run_fixture.h"
#include "sharding/part_bytes.h"
#include "sharding/rank_threads.h"

namespace gcsflux::testing {

using RankParts = std::vector<std::vector<TensorPart>>;

/// A run in an emulator that threads as ranks save and load.
class ShardedFixture : public RunFixture {
 protected:
  [[nodiscard]] ShardedCheckpoints On(Collective& group, ShardedOptions options = {}) const {
    return {Store(), group, std::move(options)};
  }

  /// Each rank saves its parts as one step.
  std::vector<Result<SavedStep>> SaveOnRanks(const RankParts& ranks, std::int64_t step = 1,
                                             const ShardedOptions& options = {}) const {
    return OnRanks<Result<SavedStep>>(static_cast<int>(ranks.size()), [&](internal::MessageGroup& group) {
      const OwnedParts own = OwnedParts::Filled(ranks[static_cast<std::size_t>(group.rank())]);
      return On(group, options).Save({.step = step}, own.ToSave());
    });
  }

  /// Each rank loads its parts of the newest step; the bytes of each.
  std::vector<Result<std::vector<PartBytes>>> LoadOnRanks(const RankParts& ranks,
                                                          const ShardedOptions& options = {}) const {
    return OnRanks<Result<std::vector<PartBytes>>>(
        static_cast<int>(ranks.size()), [&](internal::MessageGroup& group) -> Result<std::vector<PartBytes>> {
          ShardedCheckpoints checkpoints = On(group, options);
          const auto latest = checkpoints.Latest();
          if (!latest.ok()) return latest.error();
          OwnedParts own = OwnedParts::Empty(ranks[static_cast<std::size_t>(group.rank())]);
          const auto parts = own.ToLoad();
          const auto loaded = checkpoints.Load(latest->stored.manifest, parts);
          if (!loaded.ok()) return loaded.error();
          return own.bytes;
        });
  }

  void ExpectLoads(const RankParts& ranks) const {
    const auto loaded = LoadOnRanks(ranks);
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      EXPECT_EQ(ValueOf(loaded[rank]), OwnedParts::Filled(ranks[rank]).bytes) << "rank " << rank;
    }
  }

  /// Rows of "weight" on each rank, and a copy of "bias".
  static RankParts SomeParts(int world_size, std::int64_t rows = 64) {
    RankParts ranks(static_cast<std::size_t>(world_size));
    for (int rank = 0; rank < world_size; ++rank) {
      ranks[static_cast<std::size_t>(rank)] = {
          *Sharded("weight", DType::kFloat32, {rows, 32}, {.rank = rank, .world_size = world_size}),
          {.name = "bias", .shape = {32}}};
    }
    return ranks;
  }
};

}  // namespace gcsflux::testing
