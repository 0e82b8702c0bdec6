#pragma once

#include <exception>
#include <string>
#include <utility>

#include "base/process/leaf_section.h"
#include "gcsflux/result.h"

namespace gcsflux::internal {

/// Calls `call()`, which returns a Result<void>. An exception becomes kLocalIo with `who` ("sink") in its message,
/// because it must not pass through libcurl or leave a thread of this library.
template <class Call>
Result<void> CallCatching(const char* who, Call call) try {
  return call();
} catch (const std::exception& thrown) {
  return Error{ErrorCode::kLocalIo, std::string("the caller's ") + who + " threw: " + thrown.what()};
} catch (...) {
  return Error{ErrorCode::kLocalIo, std::string("the caller's ") + who + " threw something"};
}

/// The same for the user's code: see UserCodeSection.
template <class Call>
Result<void> CallUserCode(const char* who, Call call) {
  const UserCodeSection user_code;
  return CallCatching(who, std::move(call));
}

}  // namespace gcsflux::internal
