#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gcsflux/checkpoints/checkpoint_manifest.h"

// Slices that no rank reads whole, but all ranks together do.
namespace gcsflux::internal {

/// Bytes of a stored slice that follow each other, as a rank has read them.
struct ReadStretch {
  std::size_t tensor = 0;   ///< Index among the manifest's tensors.
  std::uint64_t begin = 0;  ///< In the slice.
  std::uint64_t end = 0;
  std::uint32_t crc32c = 0;
};

std::string FormatStretches(const std::vector<ReadStretch>& stretches);
/// Nothing is read from bytes that are no such message.
std::vector<ReadStretch> ParseStretches(std::string_view bytes);

/// Puts the stretches of all ranks together. Where they make a whole slice, its CRC32C is compared: kCorrupted names
/// the first tensor for which they differ. Other slices are not verified.
Result<void> CheckStretches(const CheckpointManifest& manifest, std::vector<ReadStretch> stretches);

}  // namespace gcsflux::internal
