#include "http/http.h"

#include <strings.h>

namespace gcsflux::conformance {

std::optional<std::string> FindHeader(const Headers& headers, std::string_view name) {
  std::optional<std::string> joined;
  for (const auto& [key, value] : headers) {
    if (key.size() != name.size() || strncasecmp(key.data(), name.data(), key.size()) != 0) continue;
    joined = joined ? *joined + ", " + value : value;
  }
  return joined;
}

}  // namespace gcsflux::conformance
