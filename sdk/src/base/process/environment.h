#pragma once

#include <functional>
#include <optional>
#include <string>

namespace gcsflux::internal {

/// Reads a variable of the environment. Nothing if it is not set. An argument, so that tests need not set variables.
using GetEnv = std::function<std::optional<std::string>(const char* name)>;
std::optional<std::string> ProcessEnv(const char* name);

}  // namespace gcsflux::internal
