#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/checkpoints/checkpoint_manifest.h"

namespace gcsflux::internal {

/// What the tensors of a table take of memory at most, and what is needed to read them.
inline constexpr std::uint64_t kMostTableMemory = std::uint64_t{3} << 30;

/// What a tensor takes of memory: itself, and a block of the heap for its name and for each list.
std::uint64_t MemoryOf(const StepTensor& tensor);

/// Whether a table can hold the tensors: at most 8,000,000, and no more than kMostTableMemory.
bool FitsIntoTable(std::span<const StepTensor> tensors);

/// The tensors of a manifest as bytes: five for most slices, of which four are the CRC32C. What can be told from the
/// tensors before is not written: that the next file has the next slice of the same tensors, one behind the other.
std::string FormatTensorTable(std::span<const StepTensor> tensors);

/// Nothing if the bytes are no such table, or one whose tensors take more memory.
std::optional<std::vector<StepTensor>> ParseTensorTable(std::string_view table,
                                                        std::uint64_t most_memory = kMostTableMemory);

}  // namespace gcsflux::internal
