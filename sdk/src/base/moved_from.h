#pragma once

#include <string>

#include "gcsflux/result.h"

namespace gcsflux::internal {

/// The error of each call of a handle whose contents were moved into another one.
inline Error MovedFrom(const char* type) {
  return {ErrorCode::kInvalidArgument,
          std::string("this ") + type + " was moved from; use the one that it was moved to, or assign a new one"};
}

}  // namespace gcsflux::internal
