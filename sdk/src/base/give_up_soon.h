#pragma once

#include <chrono>
#include <functional>
#include <stop_token>

namespace gcsflux::internal {

/// Calls `tell`, which tells the service that something is given up, with a token that asks it to stop after
/// `patience`: a caller that gives up does not wait for a service that may not answer. Where no thread can be started,
/// the token asks at once.
void GiveUpSoon(const std::function<void(std::stop_token)>& tell,
                std::chrono::milliseconds patience = std::chrono::seconds(2));

}  // namespace gcsflux::internal
