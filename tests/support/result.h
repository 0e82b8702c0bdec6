#pragma once

#include <gtest/gtest.h>

#include <utility>

#include "gcsflux/result.h"

namespace gcsflux::testing {

/// The error of what is to fail. Of a success it is one whose code is none of those that there are, so that the test
/// fails where it compares: error() of a success ends the whole program.
template <class T>
Error ErrorOf(const Result<T>& result) {
  return result ? Error{static_cast<ErrorCode>(-1), "no error: it has succeeded"} : result.error();
}

/// The value of what is to succeed; after an error an empty one, and the test fails with the error's message.
template <class T>
T ValueOf(Result<T> result) {
  if (result) return *std::move(result);
  ADD_FAILURE() << result.error().message;
  return T();
}

/// Whether it succeeded, and why not.
template <class T>
Result<void> WithoutValue(const Result<T>& result) {
  return result ? Result<void>() : result.error();
}

}  // namespace gcsflux::testing
