#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "server/http_codec.h"
#include "server/http_message.h"
#include "server/listener.h"
#include "server/tls_context.h"

namespace gcsflux::emulator {

struct HttpServerOptions {
  std::string host = {};
  std::uint16_t port = 0;                   ///< 0 takes any free one.
  std::optional<TlsContext> tls = {};       ///< Set: serves over TLS alone.
  std::chrono::milliseconds patience = {};  ///< With clients in mid-exchange: see SocketStream.
};

/// Serves HTTP/1.1 on one address, one thread to a connection. Thread-safe.
///
/// Blocking threads make the code plain, and as many as there are connections mean that no idle one delays another.
class HttpServer {
 public:
  /// Serves once constructed; `handler` must outlive it. Throws std::system_error.
  HttpServer(HttpServerOptions options, RequestHandler& handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  [[nodiscard]] const std::string& authority() const { return authority_; }

  /// Those that are open.
  [[nodiscard]] std::size_t CountConnections();

  /// See Listener.
  void LimitUnderWay(std::size_t bytes);

  /// Breaks every connection off and waits for the threads. May be called again.
  void Stop();

 private:
  struct Connection {
    Connection(int socket, const HttpServerOptions& options)
        : stream(socket, options.tls ? &*options.tls : nullptr, options.patience) {}
    SocketStream stream;
    bool is_finished = false;
    std::thread thread = {};
  };

  void AcceptConnections();
  void Serve(Connection& connection);
  void JoinFinished();

  HttpCodec codec_;
  const HttpServerOptions options_;
  std::optional<Listener> listener_;  // written with mutex_ held
  const std::string authority_;

  std::mutex stop_mutex_;  // held while stopping: a second caller waits for the first

  std::mutex mutex_;  // guards what follows, and every Connection::is_finished
  std::list<Connection> connections_;

  std::thread acceptor_;  // last: it uses all of the above
};

}  // namespace gcsflux::emulator
