#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/result.h"

namespace gcsflux::testing {

/// Whether an error has this code, and a message that matches.
inline ::testing::AssertionResult FailsWith(const Error& error, ErrorCode code,
                                            const ::testing::Matcher<const std::string&>& message = ::testing::_) {
  if (error.code == code && message.Matches(error.message)) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << ErrorCodeName(error.code) << ": " << error.message
                                       << "\nWanted: " << ErrorCodeName(code) << ", with a message that "
                                       << ::testing::DescribeMatcher<const std::string&>(message);
}

/// Whether a call failed with this code, and a message that matches.
template <class T>
::testing::AssertionResult FailsWith(const Result<T>& result, ErrorCode code,
                                     const ::testing::Matcher<const std::string&>& message = ::testing::_) {
  return FailsWith(ErrorOf(result), code, message);
}

}  // namespace gcsflux::testing
