#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "gcsflux/checkpoint_manifest.h"
#include "gcsflux/pickled_value.h"

namespace gcsflux::internal {

/// What a step's file is made of: a value whose tensors name storages by index, and their bytes.
struct StateContents {
  pickled::Value root = {};
  std::vector<std::span<const std::byte>> storages = {};
};

/// Gives a file of torch.save's form to the sink, and adds its tensors to `tensors`, each with the place that it got in
/// the file and the CRC32C of its bytes. A tensor's name is the keys that lead to it, joined by '.'.
Result<void> WriteStateFile(const StateContents& contents, const ByteSink& sink, std::vector<StepTensor>& tensors);

}  // namespace gcsflux::internal
