#pragma once

#include <string>

#include "base/process/environment.h"
#include "base/text/url.h"
#include "gcsflux/options.h"

namespace gcsflux::internal {

/// The endpoint of the options or the environment, as "scheme://host[:port]". If it is not an endpoint, returns
/// kInvalidArgument with the name of its source.
Result<std::string> ResolveEndpoint(const ClientOptions& options, const GetEnv& env);

/// True if a variable of the environment names an emulator.
bool IsEmulatorNamed(const GetEnv& env);

}  // namespace gcsflux::internal
