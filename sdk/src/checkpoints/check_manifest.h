#pragma once

#include <optional>
#include <string>

#include "gcsflux/checkpoints/checkpoint_manifest.h"

namespace gcsflux::internal {

/// What makes no sense in a manifest, for a message. Nothing if all of it makes sense.
std::optional<std::string> WhatIsWrongWith(const CheckpointManifest& manifest);

}  // namespace gcsflux::internal
