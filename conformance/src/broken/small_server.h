#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "http/http.h"

namespace gcsflux::conformance {

/// HTTP/1.1 on loopback, for requests that are well formed, as CurlTransport sends them. Serves until it is destroyed.
class SmallServer {
 public:
  /// Answers one request of a connection. Each connection has a handler and a thread of its own.
  using Handler = std::function<Response(const Request& request)>;

  /// Throws std::system_error if it cannot listen.
  explicit SmallServer(std::function<Handler()> handlers);
  ~SmallServer();
  SmallServer(const SmallServer&) = delete;
  SmallServer& operator=(const SmallServer&) = delete;

  [[nodiscard]] const std::string& endpoint() const { return endpoint_; }

 private:
  void Accept();
  void Serve(int socket);

  const std::function<Handler()> handlers_;
  int listener_ = -1;
  std::string endpoint_;
  std::mutex mutex_;  // guards what follows
  std::vector<int> open_;
  std::vector<std::jthread> connections_;
  std::jthread acceptor_;
};

}  // namespace gcsflux::conformance
