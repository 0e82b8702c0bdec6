#pragma once

#include <exception>
#include <type_traits>

#include "gcsflux/result.h"

namespace gcsflux::internal {

/// Returns what `make` returns. If it throws, mostly because there is no memory, returns an error. Use it on a rank
/// whose failure the others must learn: otherwise they wait for it until the deadline.
template <class Make>
Result<std::invoke_result_t<Make>> Caught(const Make& make) {
  try {
    return make();
  } catch (const std::exception& failure) {
    return Error{ErrorCode::kLocalIo, failure.what()};
  }
}

}  // namespace gcsflux::internal
