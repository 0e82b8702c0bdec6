#pragma once

#include <optional>
#include <stop_token>
#include <utility>

#include "base/process/fork.h"

namespace gcsflux::internal {

/// A std::stop_callback that is registered and removed under a NoFork, so that the lock of the caller's token is never
/// held in a child. `call` runs for a moment, and takes no lock under which other code needs a NoFork.
template <class Call>
class LeafStopCallback {
 public:
  LeafStopCallback(const std::stop_token& stop, Call call) {
    if (!stop.stop_possible()) return;
    const NoFork no_fork;
    callback_.emplace(stop, std::move(call));
  }
  ~LeafStopCallback() {
    if (!callback_) return;
    const NoFork no_fork;
    callback_.reset();
  }
  LeafStopCallback(const LeafStopCallback&) = delete;
  LeafStopCallback& operator=(const LeafStopCallback&) = delete;

 private:
  std::optional<std::stop_callback<Call>> callback_;
};

}  // namespace gcsflux::internal
