#pragma once

#include <string_view>

namespace gcsflux::internal {

/// Whether there is a zero byte, which neither JSON nor XML has. nlohmann's parser and pugixml take it for the end of
/// the text and ignore what follows, so their callers ask this too.
inline bool HasZeroByte(std::string_view text) { return text.find('\0') != std::string_view::npos; }

}  // namespace gcsflux::internal
