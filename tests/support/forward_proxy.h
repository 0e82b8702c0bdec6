#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "support/raw_server.h"

namespace gcsflux::testing {

/// A proxy that accepts CONNECT and requests for absolute URLs, and forwards to the loopback port that they name, for
/// any host.
class ForwardProxy {
 public:
  /// If `authorization` is set, it is required: "Basic dXNlcjpwYXNz".
  explicit ForwardProxy(std::string authorization = "")
      : authorization_(std::move(authorization)), server_([this](RawServer::Connection& c) { Serve(c); }) {}

  /// "http://127.0.0.1:PORT"
  [[nodiscard]] std::string url() const { return server_.endpoint(); }
  [[nodiscard]] int port() const { return server_.port(); }
  /// The first line of each connection's first request.
  [[nodiscard]] std::vector<std::string> requests() const {
    const std::scoped_lock lock(mutex_);
    return requests_;
  }

 private:
  void Serve(RawServer::Connection& c) {
    const std::string head = c.ReadHead();
    if (head.empty()) return;
    {
      const std::scoped_lock lock(mutex_);
      requests_.push_back(head.substr(0, head.find('\r')));
    }
    if (head.find("Proxy-Authorization: " + authorization_) == std::string::npos && !authorization_.empty()) {
      c.Send(
          "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"x\"\r\n"
          "Content-Length: 0\r\nConnection: close\r\n\r\n");
      return;
    }
    const bool is_tunnel = head.starts_with("CONNECT ");
    const std::string target = head.substr(head.find(is_tunnel ? " " : "://") + (is_tunnel ? 1 : 3));
    const int port = std::stoi(target.substr(target.find(':') + 1));
    if (is_tunnel) c.Send("HTTP/1.1 200 Connection established\r\n\r\n");
    c.PassOnTo(port, is_tunnel ? "" : head);
  }

  const std::string authorization_;
  mutable std::mutex mutex_;  // guards the members below
  std::vector<std::string> requests_;
  RawServer server_;  // last: its threads use the rest
};

}  // namespace gcsflux::testing
