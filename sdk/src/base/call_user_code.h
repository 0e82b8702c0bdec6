#pragma once

#include <exception>
#include <string>

#include "base/process/fork.h"
#include "gcsflux/result.h"

namespace gcsflux::internal {

/// Calls the user's code `call()`, which returns a Result<void>. An exception becomes kLocalIo with `who` ("sink") in
/// its message, because it must not pass through libcurl or leave a thread of this library. User code may call fork().
template <class Call>
Result<void> CallUserCode(const char* who, Call call) try {
  const ForkAllowed fork_allowed;
  return call();
} catch (const std::exception& thrown) {
  return Error{ErrorCode::kLocalIo, std::string("the caller's ") + who + " threw: " + thrown.what()};
} catch (...) {
  return Error{ErrorCode::kLocalIo, std::string("the caller's ") + who + " threw something"};
}

}  // namespace gcsflux::internal
