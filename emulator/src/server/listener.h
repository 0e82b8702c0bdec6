#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace gcsflux::emulator {

/// A listening TCP socket. Accept() belongs to one thread; Stop() may come from any other.
class Listener {
 public:
  /// Port 0 takes any free one. Throws std::system_error.
  Listener(const std::string& host, std::uint16_t port);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// "127.0.0.1:PORT", as it stands in a URL.
  [[nodiscard]] const std::string& authority() const { return authority_; }

  /// The next connection's socket, the caller's to close; -1 once stopped.
  int Accept();

  /// Lets the clients of connections to come send about so many bytes ahead of what is read, 0 as many as the system
  /// likes; in the smallest segments that there are, since a buffer frees room by whole ones, and those of loopback are
  /// 64 KiB. It costs bulk uploads a third or more.
  void LimitUnderWay(std::size_t bytes);

  /// Accept() returns -1 from now on; clients are refused.
  void Stop();

 private:
  int socket_ = -1;
  int stop_event_ = -1;
  bool is_limited_ = false;
  std::string authority_;
};

}  // namespace gcsflux::emulator
