#pragma once

#include <cstdint>
#include <vector>

#include "simulated_ranks/simulation.h"

// The requests of a save and a load, made by the library's planners.
namespace gcsflux::bench {

/// A job whose state is divided among its ranks: large tensors by rows, and small ones that each rank replicates.
struct SimulatedJob {
  int ranks = 512;
  std::uint64_t bytes_per_rank = 20'000'000'000;
  int tensors = 100;
};

struct SimulatedSave {
  std::uint64_t part_bytes = 16U << 20;
  int connections = 16;
  std::uint32_t ranges = 1;  ///< Of names, over which the temporary names of uploads are spread.
};
std::vector<RankStages> RequestsOfSave(const SimulatedJob& job, const SimulatedSave& save);

struct SimulatedLoad {
  int ranks = 512;  ///< The ranks that load, for any number of saving ones.
  std::uint64_t stripe_bytes = 16U << 20;
  int connections = 16;
  std::uint32_t ranges = 1;  ///< Of names, over which the shards are spread.
};
std::vector<RankStages> RequestsOfLoad(const SimulatedJob& job, const SimulatedLoad& load);

}  // namespace gcsflux::bench
