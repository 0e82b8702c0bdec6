#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "gcsflux/object.h"

namespace gcsflux::internal {

/// GCS's rules for bucket names, as far as a client can tell; the error says which one is broken.
Result<void> CheckBucketName(std::string_view bucket);

/// The same for the name of an object: not empty, at most 1024 bytes of UTF-8, no CR or LF, and so on.
Result<void> CheckObjectName(std::string_view name);

/// Both.
Result<void> CheckObject(const ObjectName& object);

/// kInvalidArgument where bytes are said to be at no address.
Result<void> CheckBytes(const ObjectName& object, std::span<const std::byte> bytes);

}  // namespace gcsflux::internal
