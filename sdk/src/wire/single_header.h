#pragma once

#include <string>
#include <string_view>

#include "http/transport.h"

namespace gcsflux::internal {

/// The value of a header, by its lower-case name. Returns kBadResponse if there are two different values. Empty if
/// there is none.
inline Result<std::string_view> SingleHeader(const Headers& headers, std::string_view name) {
  std::optional<std::string_view> said;
  for (const auto& [key, value] : headers) {
    if (key != name) continue;
    if (said && *said != value) {
      return Error{ErrorCode::kBadResponse, "the answer has two different " + std::string(name) + " headers"};
    }
    said = value;
  }
  return said.value_or(std::string_view());
}

}  // namespace gcsflux::internal
