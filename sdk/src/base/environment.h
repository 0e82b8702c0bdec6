#pragma once

#include <functional>
#include <optional>
#include <string>

namespace gcsflux::internal {

/// Reads a variable of the environment; nothing where it is not set. Passed in, so that tests set none.
using GetEnv = std::function<std::optional<std::string>(const char* name)>;
std::optional<std::string> ProcessEnv(const char* name);

}  // namespace gcsflux::internal
