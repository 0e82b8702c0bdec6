#pragma once

#include <string>
#include <utility>

#include "gcsflux/torch/storage_error.h"

namespace gcsflux::internal {

inline StorageError WrongImage(std::string message) {
  return StorageError({ErrorCode::kInvalidArgument, std::move(message)});
}

}  // namespace gcsflux::internal
