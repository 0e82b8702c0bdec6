#pragma once

#include <string>

#include "base/environment.h"
#include "base/url.h"
#include "gcsflux/options.h"

namespace gcsflux::internal {

/// The endpoint that the options and the environment name, as "scheme://host[:port]".
/// kInvalidArgument, with the place it came from, where it is no such thing.
Result<std::string> ResolveEndpoint(const ClientOptions& options, const GetEnv& env);

/// True where a variable of the environment says that an emulator is talked to.
bool IsEmulatorNamed(const GetEnv& env);

}  // namespace gcsflux::internal
