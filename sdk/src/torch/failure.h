#pragma once

#include <c10/util/Exception.h>

#include <exception>
#include <memory>
#include <string>
#include <type_traits>
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

/// The text of an exception, without the stack trace that libtorch appends.
inline std::string FirstLine(const std::exception& failure) {
  const std::string text = failure.what();
  return text.substr(0, text.find('\n'));
}

/// Returns what `make` returns. If it throws, returns an error. Use it on a rank whose failure the others must learn.
template <class Make>
Result<std::invoke_result_t<Make>> Made(const Make& make) {
  try {
    return make();
  } catch (const StorageError& failure) {
    return failure.error();
  } catch (const c10::Error& failure) {
    return Error{ErrorCode::kLocalIo, failure.what_without_backtrace()};
  } catch (const std::exception& failure) {
    return Error{ErrorCode::kLocalIo, failure.what()};
  }
}

}  // namespace gcsflux
