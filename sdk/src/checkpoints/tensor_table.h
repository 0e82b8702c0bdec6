#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoints/manifest.h"

namespace gcsflux::internal {

/// The most memory of the tensors of a table, with the memory that is needed to read them.
inline constexpr std::uint64_t kMostTableMemory = std::uint64_t{3} << 30;

/// The memory of a tensor: itself, and a block of the heap for its name and for each list.
std::uint64_t MemoryOf(const StepTensor& tensor);

/// Whether a table can hold the tensors: at most 8,000,000, and no more than kMostTableMemory.
bool FitsIntoTable(std::span<const StepTensor> tensors);

/// Returns the tensors of a manifest as bytes. Most slices take five bytes; four of them are the CRC32C. What can be
/// predicted from earlier tensors is not written, for example that the next file has the next slice of the same
/// tensors, one after the other.
std::string FormatTensorTable(std::span<const StepTensor> tensors);

/// Returns nothing if the bytes are not such a table, or if its tensors take more than `most_memory`.
std::optional<std::vector<StepTensor>> ParseTensorTable(std::string_view table,
                                                        std::uint64_t most_memory = kMostTableMemory);

}  // namespace gcsflux::internal
