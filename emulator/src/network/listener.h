#pragma once

#include <poll.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gcsflux::emulator {

/// A listening TCP socket. Accept() belongs to one thread; Wake() and Stop() may come from any other.
class Listener {
 public:
  /// Port 0 takes any free one. Throws std::system_error.
  Listener(const std::string& host, std::uint16_t port);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// "127.0.0.1:PORT", as it stands in a URL.
  [[nodiscard]] const std::string& authority() const { return authority_; }

  struct Arrival {
    enum class Kind {
      kConnection,
      kShortage,  ///< A connection waits, and there is no descriptor or no memory for it.
      kWoken,     ///< By Wake(), or by one of `others`, or by time.
      kStopped,
    };
    Kind kind = Kind::kWoken;
    int socket = -1;  ///< A connection's, the caller's to close.
  };
  /// Waits for the next connection, or until one of `others` is ready. With `others` it waits no longer than a
  /// moment.
  Arrival Accept(std::vector<pollfd> others = {});
  [[nodiscard]] int socket() const { return socket_; }

  /// Lets the clients of connections to come send about so many bytes ahead of what is read, 0 as many as the system
  /// likes; in the smallest segments that there are, since a buffer frees room by whole ones, and those of loopback are
  /// 64 KiB. It costs bulk uploads a third or more.
  void LimitUnderWay(std::size_t bytes);

  /// Accept() returns.
  void Wake();
  /// It returns kStopped from now on; clients are refused.
  void Stop();

 private:
  int socket_ = -1;
  int event_ = -1;
  std::atomic<bool> is_stopped_ = false;
  bool is_limited_ = false;
  std::string authority_;
};

}  // namespace gcsflux::emulator
