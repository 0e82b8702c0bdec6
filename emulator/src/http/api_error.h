#pragma once

#include <string>
#include <tl/expected.hpp>

#include "base/failure.h"

namespace gcsflux::emulator {

/// A refusal in the words of GCS's APIs.
struct ApiError {
  int status = 500;
  std::string reason = {};
  std::string message = {};
};

template <class T>
using ApiResult = tl::expected<T, ApiError>;

inline ApiError BadRequest(std::string message) { return ApiError{400, "invalid", std::move(message)}; }
inline ApiError BadParameter(std::string message) { return ApiError{400, "invalidParameter", std::move(message)}; }
inline ApiError MissingParameter(const std::string& name) {
  return ApiError{400, "required", "Required parameter: " + name};
}

/// The object would be larger than allowed: https://cloud.google.com/storage/docs/json_api/v1/status-codes
inline ApiError UploadTooLarge() {
  return ApiError{413, "uploadTooLarge", "The object would exceed the maximum object size of 5 TiB."};
}

/// The client is too slow: https://cloud.google.com/storage/docs/json_api/v1/status-codes
inline ApiError RequestTimedOut() {
  return ApiError{408, "uploadBrokenConnection",
                  "The request timed out. Please try again using truncated exponential backoff."};
}

ApiError ToApiError(const Failure& failure);

}  // namespace gcsflux::emulator
