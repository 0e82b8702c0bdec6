#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace gcsflux::emulator {

/// The window of {"window_s": SECONDS}, 0 to 86400. Throws std::invalid_argument, which names the member.
std::chrono::nanoseconds ParseIdempotencyWindow(std::string_view json);

std::string RenderIdempotencyWindow(std::chrono::nanoseconds window);

}  // namespace gcsflux::emulator
