#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "http/http_message.h"
#include "network/listener.h"
#include "network/refused_connections.h"
#include "network/socket_stream.h"
#include "network/tls_context.h"

namespace gcsflux::emulator {

struct HttpServerOptions {
  std::string host = {};
  std::uint16_t port = 0;                            ///< 0 takes any free port.
  std::optional<TlsContext> tls = {};                ///< If set, serves TLS only.
  std::chrono::milliseconds patience = {};           ///< For clients within an exchange: see SocketStream.
  std::function<void(const std::string&)> log = {};  ///< See EmulatorOptions; may be empty.
};

/// Serves HTTP/1.1 on one address, with one thread for each connection. Thread-safe.
///
/// If there are no descriptors, threads or memory for more connections, clients are answered 503 until there are.
/// Blocking threads keep the code plain, and no idle connection delays another one.
class HttpServer {
 public:
  /// Serves once constructed. `handler` must outlive it. Throws std::system_error.
  HttpServer(HttpServerOptions options, RequestHandler& handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  [[nodiscard]] const std::string& authority() const { return authority_; }

  /// The number of open connections.
  [[nodiscard]] std::size_t CountConnections();

  /// See Listener.
  void LimitUnderWay(std::size_t bytes);

  /// Breaks every connection off, interrupts what takes long, and waits for the threads. May be called again.
  void Stop();

 private:
  struct Connection {
    std::optional<SocketStream> stream = {};  // gone, with its descriptor, when the connection has ended
    std::thread thread = {};
  };

  void AcceptConnections();
  bool AcceptNext();
  void Begin(int socket);
  void Refuse(int socket, const Connection& connection);
  void LogShortage(const std::string& what);
  void Serve(Connection& connection);
  void ServeRequests(SocketStream& stream);
  void JoinFinished();

  RequestHandler& handler_;
  const HttpServerOptions options_;
  std::optional<Listener> listener_;  // written with mutex_ held
  const std::string authority_;

  std::atomic<bool> is_stopping_ = false;  // interrupts what takes long
  std::mutex stop_mutex_;                  // held while stopping: a second caller waits for the first

  std::mutex mutex_;  // guards what follows, and keeps every Connection's stream from being destroyed
  std::list<Connection> connections_;

  RefusedConnections refused_;  // this and what follows are used by the acceptor
  bool has_logged_shortage_ = false;

  std::thread acceptor_;  // last: it uses all of the above
};

}  // namespace gcsflux::emulator
