#pragma once

#include <chrono>
#include <cstdint>
#include <utility>

// What many processes save and load together: docs/distributed.md.
namespace gcsflux {

/// One rank's share of what `world_size` ranks divide.
struct RankShare {
  int rank = 0;
  int world_size = 1;
  std::int64_t dimension = 0;  ///< The dimension of a tensor that is divided.
};

/// The rows [first, second) of a rank. If they do not divide evenly, the first ranks get one more. If there are fewer
/// rows than ranks, the last ranks get none. A rank that does not exist gets none.
std::pair<std::int64_t, std::int64_t> DivideRows(std::int64_t rows, const RankShare& share);

}  // namespace gcsflux
