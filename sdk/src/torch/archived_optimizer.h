#pragma once

#include <string_view>

#include "formats/pickle/pickled_value.h"
#include "gcsflux/checkpoints/stored_checkpoint.h"

namespace gcsflux {

/// The optimizer's value in the form of Python's state_dict(), also from what torch::save of C++ wrote. There, the
/// names of parameters are their addresses at that time, and lists are attributes with numbers. In such an archive, an
/// optimizer that was saved alone has no name. Throws StorageError.
pickled::Value ReadOptimizerValue(const StoredCheckpoint& checkpoint, std::string_view name);

}  // namespace gcsflux
