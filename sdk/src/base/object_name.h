#pragma once

#include <string_view>

#include "gcsflux/object.h"

namespace gcsflux::internal {

/// GCS's rules for bucket names, as far as a client can tell; the error says which one is broken.
Result<void> CheckBucketName(std::string_view bucket);

/// The same for the name of an object: not empty, at most 1024 bytes of UTF-8, no CR or LF, and so on.
Result<void> CheckObjectName(std::string_view name);

/// Both.
Result<void> CheckObject(const ObjectName& object);

}  // namespace gcsflux::internal
