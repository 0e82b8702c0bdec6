#pragma once

#include <c10/util/Exception.h>

#include <exception>
#include <type_traits>

#include "gcsflux/torch/storage_error.h"

namespace gcsflux {

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
