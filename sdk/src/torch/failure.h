#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/moved_from.h"
#include "gcsflux/torch/storage_error.h"

namespace gcsflux {

/// The exception for errors in a file or an argument.
inline StorageError Failure(ErrorCode code, std::string why) {
  return StorageError({.code = code, .message = std::move(why)});
}

/// What a movable handle holds. Throws if it was moved from.
template <class T>
T& Held(const std::unique_ptr<T>& parts, const char* what) {
  if (!parts) throw StorageError(internal::MovedFrom(what));
  return *parts;
}

}  // namespace gcsflux
