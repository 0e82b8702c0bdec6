#pragma once

#include <optional>
#include <stop_token>
#include <utility>

#include "base/process/leaf_section.h"

namespace gcsflux::internal {

/// A std::stop_callback that is registered and removed in a LeafSection, so that the lock of the caller's token is
/// never held in a child process. `call` runs for a moment, and takes no lock under which other code needs a
/// LeafSection.
template <class Call>
class LeafStopCallback {
 public:
  LeafStopCallback(const std::stop_token& stop, Call call) {
    if (!stop.stop_possible()) return;
    const LeafSection leaf;
    callback_.emplace(stop, std::move(call));
  }
  ~LeafStopCallback() {
    if (!callback_) return;
    const LeafSection leaf;
    callback_.reset();
  }
  LeafStopCallback(const LeafStopCallback&) = delete;
  LeafStopCallback& operator=(const LeafStopCallback&) = delete;

 private:
  std::optional<std::stop_callback<Call>> callback_;
};

}  // namespace gcsflux::internal
