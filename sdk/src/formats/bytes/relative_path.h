#pragma once

#include <string_view>

namespace gcsflux::internal {

/// True for a relative path that stays below its folder: no "..", no empty part, no control characters.
bool IsBelowFolder(std::string_view path);

}  // namespace gcsflux::internal
