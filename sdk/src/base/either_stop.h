#pragma once

#include <functional>
#include <stop_token>

#include "base/leaf_stop_callback.h"

namespace gcsflux::internal {

/// A stop_token that is stopped when one of two others is.
class EitherStop {
 public:
  EitherStop(const std::stop_token& first, const std::stop_token& second)
      : on_first_(first, [this] { stop_.request_stop(); }), on_second_(second, [this] { stop_.request_stop(); }) {}
  EitherStop(const EitherStop&) = delete;
  EitherStop& operator=(const EitherStop&) = delete;

  [[nodiscard]] std::stop_token token() const { return stop_.get_token(); }

 private:
  std::stop_source stop_;
  LeafStopCallback<std::function<void()>> on_first_;
  LeafStopCallback<std::function<void()>> on_second_;
};

}  // namespace gcsflux::internal
