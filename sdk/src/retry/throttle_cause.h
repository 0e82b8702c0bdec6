#pragma once

#include "gcsflux/result.h"

namespace gcsflux::internal {

/// Why the service throttled a request, as far as it says.
enum class ThrottleCause {
  kRequestRate,     ///< Too many requests: fewer of them would do.
  kEgress,          ///< Too many bytes a second leave the project.
  kObjectMutation,  ///< One object is written more than once a second: nobody else's matter.
};

/// Of an error that is kRateLimited.
ThrottleCause CauseOfThrottling(const Error& error);

}  // namespace gcsflux::internal
