#pragma once

#include <sys/socket.h>

#include <algorithm>
#include <cstddef>

namespace gcsflux::emulator {

/// Gives a socket, or the sockets that a listening one will accept, room for about so many unread bytes, within the
/// system's minimum and maximum. 0 is the system's maximum.
inline void SetReceiveBuffer(int socket, std::size_t bytes) {
  constexpr std::size_t kLeast = 2304;  // Linux' least
  constexpr std::size_t kMost = std::size_t{4} << 20;
  const int size = static_cast<int>(bytes != 0 ? std::clamp(bytes, kLeast, kMost) : kMost);
  ::setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
}

}  // namespace gcsflux::emulator
