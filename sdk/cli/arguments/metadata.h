#pragma once

#include <map>
#include <optional>
#include <string>

#include "gcsflux/result.h"

namespace gcsflux::cli {

/// The value of --metadata: key=value,key=value. A key without a value has none, which removes it. Returns
/// kInvalidArgument if an entry has no key.
Result<std::map<std::string, std::optional<std::string>>> MetadataFromFlag();

}  // namespace gcsflux::cli
