#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gcsflux/checkpoints/tensor_part.h"
#include "gcsflux/result.h"

namespace gcsflux::internal {

/// Rows of a part that its rank writes. Rows are those of the first dimension that is longer than 1; a part without one
/// has one row. They are contiguous in memory.
struct PlannedRows {
  std::uint32_t part = 0;  ///< Index among the rank's announced parts.
  std::int64_t begin = 0;
  std::int64_t end = 0;

  friend bool operator==(const PlannedRows&, const PlannedRows&) = default;
};

/// Which rank writes what. Each element of each tensor is written once.
struct SavePlan {
  std::vector<std::vector<PlannedRows>> ranks = {};
  std::vector<std::uint64_t> bytes = {};  ///< Of each rank.
};

/// The plan for what the ranks announce (FormatAnnouncement()), in order of rank. The same announcements give the same
/// plan. A slice that one rank has is written by it. What several ranks have is spread over them, so that the largest
/// share of bytes is within 1.1 times the mean if the tensors allow it: whole tensors are divided by rows.
/// For errors see AnnouncedTensors::Read().
Result<SavePlan> PlanSave(std::span<const std::string> announcements);

/// The part of `part` that the rows are.
TensorPart RowsOfPart(const TensorPart& part, const PlannedRows& rows);

/// Of the part's own shape.
std::int64_t RowCount(std::span<const std::int64_t> own_shape);

/// The place of the rows among the part's bytes.
FileRange BytesOfRows(const TensorPart& part, const PlannedRows& rows);

}  // namespace gcsflux::internal
