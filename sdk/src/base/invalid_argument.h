#pragma once

#include <string>
#include <utility>

#include "gcsflux/result.h"

namespace gcsflux::internal {

inline Error InvalidArgument(std::string message) { return Error{ErrorCode::kInvalidArgument, std::move(message)}; }

}  // namespace gcsflux::internal
