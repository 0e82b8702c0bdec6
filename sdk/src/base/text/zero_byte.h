#pragma once

#include <string_view>

namespace gcsflux::internal {

/// Whether there is a zero byte, which JSON never has. nlohmann's parser takes it for the end of the text and ignores
/// what follows, so its callers ask this too.
inline bool HasZeroByte(std::string_view text) { return text.find('\0') != std::string_view::npos; }

}  // namespace gcsflux::internal
