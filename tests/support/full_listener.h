#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace gcsflux::testing {

/// A listener with a full backlog: new connections wait, as for a host that does not answer.
class FullListener {
 public:
  FullListener() {
    sockaddr_in address{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
    socklen_t length = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    const bool listens = bind(listener_, generic, length) == 0 && listen(listener_, 0) == 0 &&
                         getsockname(listener_, generic, &length) == 0;
    if (!listens) throw std::runtime_error("no listener");
    port_ = ntohs(address.sin_port);
    for (int& waiting : waiting_) {
      waiting = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
      static_cast<void>(connect(waiting, generic, length));
    }
  }
  ~FullListener() {
    for (const int waiting : waiting_) close(waiting);
    close(listener_);
  }
  FullListener(const FullListener&) = delete;
  FullListener& operator=(const FullListener&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::string endpoint() const { return "http://127.0.0.1:" + std::to_string(port_); }

  /// How many connections to it are waiting, including its own that filled it.
  [[nodiscard]] int Connecting() const {
    constexpr auto kSynSent = "02";
    std::ifstream table("/proc/net/tcp");
    int count = 0;
    for (std::string line; std::getline(table, line);) {
      std::istringstream columns(line);
      std::string number, local, remote, state;
      columns >> number >> local >> remote >> state;
      const auto colon = remote.find(':');
      if (colon == std::string::npos || state != kSynSent) continue;
      count += std::stoi(remote.substr(colon + 1), nullptr, 16) == port_;
    }
    return count;
  }

 private:
  const int listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int waiting_[8] = {};
  std::uint16_t port_ = 0;
};

}  // namespace gcsflux::testing
