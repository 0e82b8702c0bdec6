#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "base/time_source.h"
#include "identity/config.h"
#include "identity/jwt.h"

namespace gcsflux::emulator {

/// A token whose signature is that of a service account, and which is valid now. What it is for, its audience and
/// scope, is not looked at yet.
struct Assertion {
  Jwt jwt = {};
  const ServiceAccount* signer = nullptr;  ///< The config's.
};

/// Takes RS256 alone: the algorithm is never the token's to choose. The error says why not, in the service's words.
tl::expected<Assertion, std::string> CheckAssertion(const IdentityConfig& config, std::string_view text, Time now);

}  // namespace gcsflux::emulator
