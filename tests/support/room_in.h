#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace gcsflux::testing {

/// The bytes of `room`, to read into.
inline std::span<std::byte> RoomIn(std::string& room) { return std::as_writable_bytes(std::span(room)); }

}  // namespace gcsflux::testing
