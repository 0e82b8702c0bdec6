#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gcsflux/client.h"
#include "support/raw_server.h"

namespace gcsflux::testing {

/// A whole answer with status 200.
inline std::string OkAnswer(const std::string& body) {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

/// The rest of a request whose head was read.
inline std::string ReadBody(RawServer::Connection& connection, const std::string& head) {
  constexpr std::string_view kLength = "Content-Length: ";
  const auto length = head.find(kLength);
  return length == std::string::npos ? "" : connection.Read(std::stoul(head.substr(length + kLength.size())));
}

/// A service that returns its bodies in turn and starts over, for any request.
class CircularService {
 public:
  explicit CircularService(std::vector<std::string> bodies) : bodies_(std::move(bodies)) {}

  [[nodiscard]] Client client() const { return *Client::Create({.endpoint = server_.endpoint(), .project = "p"}); }
  [[nodiscard]] std::size_t requests() const { return requests_; }

 private:
  const std::vector<std::string> bodies_;
  std::atomic<std::size_t> requests_ = 0;
  RawServer server_{[this](RawServer::Connection& connection) {
    for (std::string head; !(head = connection.ReadHead()).empty();) {
      ReadBody(connection, head);
      connection.Send(OkAnswer(bodies_[requests_++ % bodies_.size()]));
    }
  }};
};

}  // namespace gcsflux::testing
