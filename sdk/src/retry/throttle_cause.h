#pragma once

#include "gcsflux/result.h"

namespace gcsflux::internal {

/// Why the service throttled a request, as far as the answer tells.
enum class ThrottleCause {
  kRequestRate,     ///< Too many requests.
  kEgress,          ///< Too many bytes per second leave the project.
  kObjectMutation,  ///< One object is written more than once per second; other objects are not affected.
};

/// For an error that is kRateLimited.
ThrottleCause CauseOfThrottling(const Error& error);

}  // namespace gcsflux::internal
