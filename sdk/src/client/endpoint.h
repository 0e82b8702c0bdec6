#pragma once

#include <functional>
#include <optional>
#include <string>

#include "gcsflux/options.h"

namespace gcsflux::internal {

/// Reads a variable of the environment; nothing where it is not set.
using GetEnv = std::function<std::optional<std::string>(const char* name)>;
std::optional<std::string> ProcessEnv(const char* name);

/// The endpoint that the options and the environment name, as "scheme://host[:port]".
/// kInvalidArgument, with the place it came from, where it is no such thing.
Result<std::string> ResolveEndpoint(const ClientOptions& options, const GetEnv& env);

/// True where a secret may travel in the clear: the host is this machine.
bool IsLoopback(std::string_view endpoint);

}  // namespace gcsflux::internal
