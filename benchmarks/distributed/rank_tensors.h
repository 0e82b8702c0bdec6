#pragma once

#include <cstdint>
#include <string>

#include "gcsflux/run_environment.h"
#include "gcsflux/torch/checkpoint_run.h"

namespace gcsflux::bench {

/// Tensors of one shape, float32, of which each rank has a slice, or the whole if they are copies.
struct TensorsOfRanks {
  std::int64_t count = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t dimension = 0;  ///< The dimension that the ranks divide: 0 or 1; -1 for copies on all.

  [[nodiscard]] std::uint64_t bytes() const { return static_cast<std::uint64_t>(count * rows * columns) * 4; }
};

/// This rank's slices, in one block of memory that is written to before. Each element depends on its place in the
/// whole.
RunState FilledSlices(const TensorsOfRanks& tensors, const RunEnvironment& run);
/// The same with zeros.
RunState EmptySlices(const TensorsOfRanks& tensors, const RunEnvironment& run);
bool HaveSameBytes(const RunState& one, const RunState& other);

}  // namespace gcsflux::bench
