#pragma once

#include <poll.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gcsflux::emulator {

/// A listening TCP socket. One thread calls Accept(); any thread may call Wake() and Stop().
class Listener {
 public:
  /// Port 0 takes any free port. Throws std::system_error.
  Listener(const std::string& host, std::uint16_t port);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// "127.0.0.1:PORT", as in a URL.
  [[nodiscard]] const std::string& authority() const { return authority_; }

  struct Arrival {
    enum class Kind {
      kConnection,
      kShortage,  ///< A connection waits, but there is no descriptor or no memory for it.
      kWoken,     ///< Woken by Wake(), by one of `others`, or by time.
      kStopped,
    };
    Kind kind = Kind::kWoken;
    int socket = -1;  ///< A connection's descriptor. The caller closes it.
  };
  /// Waits for the next connection, or until one of `others` is ready. With `others` it waits only for a moment.
  Arrival Accept(std::vector<pollfd> others = {});
  [[nodiscard]] int socket() const { return socket_; }

  /// Lets the clients of later connections send about so many bytes ahead of what is read; 0 is as many as the system
  /// likes. They use the smallest segments, because a buffer frees room by whole segments, and those of loopback are 64
  /// KiB. This slows bulk uploads by a third or more.
  void LimitUnderWay(std::size_t bytes);

  /// Makes Accept() return.
  void Wake();
  /// Accept() returns kStopped from now on. Clients are refused.
  void Stop();

 private:
  int socket_ = -1;
  int event_ = -1;
  std::atomic<bool> is_stopped_ = false;
  bool is_limited_ = false;
  std::string authority_;
};

}  // namespace gcsflux::emulator
