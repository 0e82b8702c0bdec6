#pragma once

#include <gtest/gtest.h>

#include <utility>

#include "gcsflux/result.h"

namespace gcsflux::testing {

/// The error of a call that must fail. For a success, an error with an impossible code, so that comparisons fail:
/// error() of a success aborts the program.
template <class T>
Error ErrorOf(const Result<T>& result) {
  return result ? Error{static_cast<ErrorCode>(-1), "no error: it has succeeded"} : result.error();
}

/// The value of a call that must succeed; after an error an empty one, and the test fails with the error's message.
template <class T>
T ValueOf(Result<T> result) {
  if (result) return *std::move(result);
  ADD_FAILURE() << result.error().message;
  return T();
}

/// Whether it succeeded, and the error.
template <class T>
Result<void> WithoutValue(const Result<T>& result) {
  return result ? Result<void>() : result.error();
}

}  // namespace gcsflux::testing
