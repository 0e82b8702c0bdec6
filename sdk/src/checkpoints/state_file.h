#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "checkpoints/manifest.h"
#include "formats/pickle/pickled_value.h"

namespace gcsflux::internal {

/// The content of a step's file: a value whose tensors name storages by index, and the bytes of these storages.
struct StateContents {
  pickled::Value root = {};
  std::vector<std::span<const std::byte>> storages = {};
};

/// Gives a file of torch.save's form to the sink. Adds its tensors to `tensors`, each with its place in the file and
/// the CRC32C of its bytes. A tensor's name joins the keys that lead to it with '.'.
Result<void> WriteStateFile(const StateContents& contents, const ByteSink& sink, std::vector<StepTensor>& tensors);

}  // namespace gcsflux::internal
