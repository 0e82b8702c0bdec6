#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

namespace gcsflux::testing {

/// A loopback server that handles each connection as a test says, below HTTP.
class RawServer {
 public:
  /// One connection, as its script sees it.
  class Connection {
   public:
    explicit Connection(int socket) : socket_(socket) {}
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    /// Reads up to the end of a request's head (no body) and returns it; empty if the client has disconnected.
    std::string ReadHead();
    /// Reads this many bytes, or fewer if the client disconnects first.
    std::string Read(std::size_t count);
    /// False if the client has disconnected.
    bool Send(std::string_view bytes);
    /// Returns when the client closes the connection.
    void WaitForClose();
    /// Sends `first` to this loopback port, then forwards bytes both ways until either side closes. False if no program
    /// listens there.
    bool PassOnTo(int port, std::string_view first);
    /// Ends the connection with a RST.
    void Reset();

   private:
    int socket_;
  };
  using Script = std::function<void(Connection&)>;

  /// Each connection is served on a thread of its own; destruction waits for their scripts.
  explicit RawServer(Script script);
  ~RawServer();
  RawServer(const RawServer&) = delete;
  RawServer& operator=(const RawServer&) = delete;

  [[nodiscard]] std::string endpoint() const { return "http://127.0.0.1:" + std::to_string(port_); }
  [[nodiscard]] int port() const { return port_; }
  [[nodiscard]] int connections() const { return connections_; }

 private:
  int port_ = 0;  // Before listener_, whose construction sets it.
  int listener_ = -1;
  std::atomic<int> connections_ = 0;
  std::jthread thread_;
};

/// Reads one head and sends this answer.
RawServer::Script Answering(std::string answer);

/// "http://127.0.0.1:PORT" without a listener.
std::string RefusingEndpoint();

}  // namespace gcsflux::testing
