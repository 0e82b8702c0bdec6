#pragma once

#include <torch/serialize/archive.h>

#include <functional>
#include <string>

#include "gcsflux/formats.h"

namespace gcsflux {

/// Writes the bytes of a libtorch archive to a sink, in order. Throws what `fill` throws, and StorageError: the sink's
/// first failure, or kInvalidArgument if libtorch cannot serialise a value. `name` is the file's, for messages.
void WriteArchive(const std::function<void(torch::serialize::OutputArchive&)>& fill, const std::string& name,
                  const ByteSink& sink);

}  // namespace gcsflux
