#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "base/time_source.h"
#include "identity/config.h"
#include "identity/jwt.h"

namespace gcsflux::emulator {

/// A token that a service account has signed and that is valid now. Its audience and scope are not checked yet.
struct Assertion {
  Jwt jwt = {};
  const ServiceAccount* signer = nullptr;  ///< The config's.
};

/// Accepts RS256 only: the token must never choose the algorithm. If it is refused, the error says why in the service's
/// words.
tl::expected<Assertion, std::string> CheckAssertion(const IdentityConfig& config, std::string_view text, Time now);

}  // namespace gcsflux::emulator
