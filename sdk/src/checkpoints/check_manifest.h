#pragma once

#include <optional>
#include <string>

#include "checkpoints/manifest.h"

namespace gcsflux::internal {

/// Returns the first error in a manifest, for a message. Returns nothing if the manifest is valid.
std::optional<std::string> WhatIsWrongWith(const CheckpointManifest& manifest);

/// The same of everything but files and tensors.
std::optional<std::string> WhatIsWrongWithoutFiles(const CheckpointManifest& manifest);

}  // namespace gcsflux::internal
