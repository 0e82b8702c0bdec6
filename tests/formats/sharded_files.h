#pragma once

#include <string>

#include "gcsflux/result.h"

namespace gcsflux::formats_tests {

/// Writes the files of a step that three ranks save into a directory: "rows" and "columns" are slices, "copied" is on
/// all ranks, "alone" on the last one. Each element is its place in its tensor.
Result<void> WriteShardedFiles(const std::string& directory);

}  // namespace gcsflux::formats_tests
