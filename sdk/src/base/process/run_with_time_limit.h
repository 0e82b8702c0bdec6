#pragma once

#include <chrono>
#include <functional>
#include <stop_token>

namespace gcsflux::internal {

/// Calls `work` with a token that asks it to stop after `limit`. For requests that give something up, such as an
/// upload: their caller does not wait long for a service that may not answer. If no thread can be started, the token
/// asks at once. An exception of `work` ends it: destructors call this, and the memory may be used up.
void RunWithTimeLimit(const std::function<void(std::stop_token)>& work,
                      std::chrono::milliseconds limit = std::chrono::seconds(2));

}  // namespace gcsflux::internal
