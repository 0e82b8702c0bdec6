#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gcsflux/result.h"
#include "sharding/sharded_checkpoints.h"

namespace gcsflux::internal {

/// Shorter tensors, in bytes, are not divided: a row of the header costs more than the balance gains.
inline constexpr std::uint64_t kLeastDivided = 4096;

/// Rows of a part that its rank writes. Rows are those of the first dimension that is not 1. If there is no such
/// dimension, the part has one row. Rows are contiguous in memory.
struct PlannedRows {
  std::uint32_t part = 0;  ///< Index among the rank's announced parts.
  std::int64_t begin = 0;
  std::int64_t end = 0;

  friend bool operator==(const PlannedRows&, const PlannedRows&) = default;
};

/// Which rank writes what. Each element of each tensor is written once.
struct SavePlan {
  std::vector<std::vector<PlannedRows>> ranks = {};
  std::vector<std::uint64_t> bytes = {};  ///< The bytes of each rank.
};

/// Plans a save from the announcements of the ranks (FormatAnnouncement()), in order of rank. The same announcements
/// give the same plan. If only one rank has a slice, it writes it. What several ranks have is spread over them; whole
/// tensors are divided by rows. If the tensors allow it, the largest share of bytes is within 1.1 times the mean. For
/// errors see AnnouncedTensors::Read().
Result<SavePlan> PlanSave(std::span<const std::string> announcements);

/// The given rows of `part`, as a part.
TensorPart RowsOfPart(const TensorPart& part, const PlannedRows& rows);

/// The number of rows of a part with this own shape.
std::int64_t RowCount(std::span<const std::int64_t> own_shape);

/// The place of the rows among the part's bytes.
FileRange BytesOfRows(const TensorPart& part, const PlannedRows& rows);

}  // namespace gcsflux::internal
