#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/checkpoints/checkpoint_manifest.h"

namespace gcsflux::internal {

/// What the names and shapes of a table's tensors take of memory at most.
inline constexpr std::uint64_t kMostNamedBytes = std::uint64_t{1} << 30;

/// Whether a table can hold the tensors: at most 8,000,000, and no more than kMostNamedBytes.
bool FitsIntoTable(std::span<const StepTensor> tensors);

/// The tensors of a manifest as bytes: five for most slices, of which four are the CRC32C. What can be told from the
/// tensors before is not written: that the next file has the next slice of the same tensors, one behind the other.
std::string FormatTensorTable(std::span<const StepTensor> tensors);

/// Nothing if the bytes are no such table, or one of more tensors.
std::optional<std::vector<StepTensor>> ParseTensorTable(std::string_view table,
                                                        std::uint64_t most_named_bytes = kMostNamedBytes);

}  // namespace gcsflux::internal
