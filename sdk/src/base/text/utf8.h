#pragma once

#include <string_view>

namespace gcsflux::internal {

/// True for well-formed UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
bool IsUtf8(std::string_view text);

}  // namespace gcsflux::internal
