#pragma once

#include <string_view>

#include "gcsflux/result.h"

namespace gcsflux {

/// Checks GCS's rules for the name of an object that a client can check: not empty, at most 1024 bytes of UTF-8, no CR
/// or LF, and so on. The error tells which rule is broken. Thread-safe.
Result<void> CheckObjectName(std::string_view name);

}  // namespace gcsflux
