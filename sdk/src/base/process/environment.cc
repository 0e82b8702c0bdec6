#include "base/process/environment.h"

#include <cstdlib>

namespace gcsflux::internal {

std::optional<std::string> ProcessEnv(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

}  // namespace gcsflux::internal
