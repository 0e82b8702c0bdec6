#pragma once

#include <exception>
#include <new>

#include "gcsflux/result.h"

namespace gcsflux::internal {

/// Calls `call()`, which returns a Result. An exception, mostly because there is no memory, becomes kLocalIo. `outcome`
/// is for calls that may have stored something before. Use it where the caller expects a Result: in a public function,
/// or on a thread.
template <class Call>
auto ExceptionsAsErrors(const Call& call, WriteOutcome outcome = WriteOutcome::kNotStored) -> decltype(call()) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    // So short that it needs no memory.
    return Error{.code = ErrorCode::kLocalIo, .message = "out of memory", .outcome = outcome};
  } catch (const std::exception& thrown) {
    return Error{.code = ErrorCode::kLocalIo, .message = thrown.what(), .outcome = outcome};
  }
}

}  // namespace gcsflux::internal
