#pragma once

#include <exception>
#include <string>

#include "base/fork.h"
#include "gcsflux/result.h"

namespace gcsflux::internal {

/// Calls what somebody else has written, `call()`, which returns a Result<void>. What it throws is kLocalIo, named by
/// `who` ("sink"): it must go neither through libcurl nor out of a thread of ours. A guest may call fork().
template <class Call>
Result<void> CallGuest(const char* who, Call call) try {
  const ForkAllowed fork_allowed;
  return call();
} catch (const std::exception& thrown) {
  return Error{ErrorCode::kLocalIo, std::string("the caller's ") + who + " threw: " + thrown.what()};
} catch (...) {
  return Error{ErrorCode::kLocalIo, std::string("the caller's ") + who + " threw something"};
}

}  // namespace gcsflux::internal
