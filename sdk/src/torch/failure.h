#pragma once

#include <string>
#include <utility>

#include "gcsflux/torch/storage_error.h"

namespace gcsflux {

/// The exception for errors in a file or an argument.
inline StorageError Failure(ErrorCode code, std::string why) {
  return StorageError({.code = code, .message = std::move(why)});
}

}  // namespace gcsflux
