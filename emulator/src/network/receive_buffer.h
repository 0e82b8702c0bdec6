#pragma once

#include <sys/socket.h>

#include <algorithm>
#include <cstddef>

namespace gcsflux::emulator {

/// Gives a socket, or those that a listening one will accept, room for about so many bytes that were not yet read: as
/// many as the system has at least and at most; 0 is as many as it allows.
inline void SetReceiveBuffer(int socket, std::size_t bytes) {
  constexpr std::size_t kLeast = 2304;  // Linux' least
  constexpr std::size_t kMost = std::size_t{4} << 20;
  const int size = static_cast<int>(bytes != 0 ? std::clamp(bytes, kLeast, kMost) : kMost);
  ::setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
}

}  // namespace gcsflux::emulator
