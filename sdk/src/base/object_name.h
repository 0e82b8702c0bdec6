#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "gcsflux/object.h"

namespace gcsflux::internal {

/// Checks GCS's rules for bucket names that a client can check; the error tells which rule is broken.
Result<void> CheckBucketName(std::string_view bucket);

/// The same for the name of an object: not empty, at most 1024 bytes of UTF-8, no CR or LF, and so on.
Result<void> CheckObjectName(std::string_view name);

/// Checks both.
Result<void> CheckObject(const ObjectName& object);

/// Returns kInvalidArgument if the pointer is null and the length is not 0.
Result<void> CheckBytes(const ObjectName& object, std::span<const std::byte> bytes);

}  // namespace gcsflux::internal
