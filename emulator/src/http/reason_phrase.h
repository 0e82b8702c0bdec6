#pragma once

#include <string_view>

namespace gcsflux::emulator {

/// "Not Found" for 404. Clients do not act on it.
std::string_view ReasonPhrase(int status);

}  // namespace gcsflux::emulator
