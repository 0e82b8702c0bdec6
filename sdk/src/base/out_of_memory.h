#pragma once

#include <new>
#include <stdexcept>

#include "gcsflux/result.h"

namespace gcsflux::internal {

/// Needs no memory itself: the message is short enough for the string object.
inline Error OutOfMemory() noexcept { return {ErrorCode::kLocalIo, "out of memory"}; }

/// Calls `call()`, which returns a Result. If there is no memory for what it does, that is the result's error. It
/// stands where a loop, a thread or a caller would get an exception.
template <class Call>
auto WithinMemory(Call call) -> decltype(call()) try {
  return call();
} catch (const std::bad_alloc&) {
  return OutOfMemory();
} catch (const std::length_error&) {
  return OutOfMemory();
}

}  // namespace gcsflux::internal
