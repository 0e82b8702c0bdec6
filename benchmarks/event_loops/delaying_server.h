#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>

namespace gcsflux::bench {

/// An HTTP server on loopback that answers every GET, after a delay, with the same object, as Cloud Storage answers a
/// read. One thread with one epoll descriptor serves all connections; a body goes from the page cache to the socket by
/// sendfile(). It keeps connections until the client closes them, and closes those that send anything but GETs.
class DelayingServer {
 public:
  struct Options {
    int port = 0;  ///< 0 takes any free port.
    std::chrono::nanoseconds delay{0};
    std::string content = {};
  };
  /// Listens when the constructor returns. Throws std::system_error if it cannot.
  explicit DelayingServer(const Options& options);
  ~DelayingServer();
  DelayingServer(const DelayingServer&) = delete;
  DelayingServer& operator=(const DelayingServer&) = delete;

  [[nodiscard]] int port() const { return port_; }

  /// Serves, and never returns: a signal ends the process.
  [[noreturn]] void Run();

 private:
  using Clock = std::chrono::steady_clock;

  struct Connection {
    std::uint64_t serial = 0;  // Distinguishes it from earlier users of its descriptor.
    std::string received = {};
    bool is_answering = false;  // From a whole request to the last byte of its answer.
    bool is_due = false;        // Its answer may be sent.
    std::size_t head_sent = 0;
    std::size_t body_sent = 0;
  };
  struct Answer {
    Clock::time_point due;
    int socket;
    std::uint64_t serial;
  };

  void Accept();
  void Receive(int socket);
  void TakeRequest(int socket, Connection& connection);
  void SendDue(Clock::time_point now);
  void Send(int socket);
  void Close(int socket);

  const std::chrono::nanoseconds delay_;
  const std::size_t body_bytes_;
  std::string head_;
  int body_file_ = -1;
  int listener_ = -1;
  int epoll_ = -1;
  int port_ = 0;
  std::uint64_t last_serial_ = 0;
  std::unordered_map<int, Connection> connections_;  // By socket.
  std::deque<Answer> waiting_;                       // Soonest first, because each waits equally long.
};

}  // namespace gcsflux::bench
