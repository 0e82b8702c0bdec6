#pragma once

#include <exception>
#include <type_traits>

#include "gcsflux/result.h"

namespace gcsflux::internal {

/// What `make` returns; if it throws, mostly because there is no memory, that as an error. For a rank whose failure the
/// others must learn: else they wait for it until the deadline.
template <class Make>
Result<std::invoke_result_t<Make>> Caught(const Make& make) {
  try {
    return make();
  } catch (const std::exception& failure) {
    return Error{ErrorCode::kLocalIo, failure.what()};
  }
}

}  // namespace gcsflux::internal
