#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "checkpoints/manifest.h"

// Checks slices that no rank reads whole, but that all ranks together read whole.
namespace gcsflux::internal {

/// Contiguous bytes of a stored slice that a rank has read.
struct ReadStretch {
  std::size_t tensor = 0;   ///< Index among the manifest's tensors.
  std::uint64_t begin = 0;  ///< In the slice.
  std::uint64_t end = 0;
  std::uint32_t crc32c = 0;
};

std::string FormatStretches(const std::vector<ReadStretch>& stretches);
/// Returns an empty list if the bytes are not such a message.
std::vector<ReadStretch> ParseStretches(std::string_view bytes);

/// Combines the stretches of all ranks. If they make a whole slice, compares its CRC32C. Returns kCorrupted with the
/// first tensor for which it differs. Other slices are not verified.
Result<void> CheckStretches(const CheckpointManifest& manifest, std::vector<ReadStretch> stretches);

}  // namespace gcsflux::internal
