#pragma once

#include <optional>
#include <string>

#include "gcsflux/checkpoint_manifest.h"

namespace gcsflux::internal {

/// What makes no sense in a manifest, for a message; nothing where all of it does.
std::optional<std::string> WhatIsWrongWith(const CheckpointManifest& manifest);

}  // namespace gcsflux::internal
