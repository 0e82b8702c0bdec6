#include "support/raw_server.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <vector>

namespace gcsflux::testing {
namespace {

int ListenOnLoopback(int* port) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener, generic, length) != 0 || listen(listener, 16) != 0 ||
      getsockname(listener, generic, &length) != 0) {
    throw std::runtime_error("cannot listen on loopback");
  }
  *port = ntohs(address.sin_port);
  return listener;
}

}  // namespace

RawServer::Connection::~Connection() {
  if (socket_ >= 0) close(socket_);
}

std::string RawServer::Connection::ReadHead() {
  std::string head;
  for (char c = 0; recv(socket_, &c, 1, 0) == 1;) {
    head += c;
    if (head.ends_with("\r\n\r\n")) return head;
  }
  return "";
}

std::string RawServer::Connection::Read(std::size_t count) {
  std::string bytes(count, '\0');
  std::size_t come = 0;
  while (come < count) {
    const ssize_t got = recv(socket_, bytes.data() + come, count - come, 0);
    if (got <= 0) break;
    come += static_cast<std::size_t>(got);
  }
  bytes.resize(come);
  return bytes;
}

bool RawServer::Connection::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void RawServer::Connection::WaitForClose() {
  std::array<char, 4096> ignored{};
  while (recv(socket_, ignored.data(), ignored.size(), 0) > 0) {
  }
}

bool RawServer::Connection::PassOnTo(int port, std::string_view first) {
  const int other = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool is_open = connect(other, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
                       send(other, first.data(), first.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(first.size());
  std::array<pollfd, 2> ends{{{socket_, POLLIN, 0}, {other, POLLIN, 0}}};
  std::array<char, 16384> bytes{};
  const auto pass = [&](const pollfd& from, int to) {
    if (from.revents == 0) return true;
    const ssize_t count = recv(from.fd, bytes.data(), bytes.size(), 0);
    return count > 0 && send(to, bytes.data(), static_cast<std::size_t>(count), MSG_NOSIGNAL) == count;
  };
  while (is_open && poll(ends.data(), ends.size(), -1) > 0 && pass(ends[0], other) && pass(ends[1], socket_)) {
  }
  close(other);
  return is_open;
}

void RawServer::Connection::Reset() {
  const linger now{.l_onoff = 1, .l_linger = 0};
  setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  close(socket_);
  socket_ = -1;
}

RawServer::RawServer(Script script) : listener_(ListenOnLoopback(&port_)) {
  thread_ = std::jthread([this, script = std::move(script)] {
    std::vector<std::jthread> serving;
    while (true) {
      const int socket = accept(listener_, nullptr, nullptr);
      if (socket < 0) return;  // shutdown() below
      ++connections_;
      serving.emplace_back([&script, socket] {
        Connection connection(socket);
        script(connection);
      });
    }
  });
}

RawServer::~RawServer() {
  shutdown(listener_, SHUT_RDWR);
  thread_.join();
  close(listener_);
}

RawServer::Script Answering(std::string answer) {
  return [answer = std::move(answer)](RawServer::Connection& connection) {
    connection.ReadHead();
    connection.Send(answer);
  };
}

std::string RefusingEndpoint() {
  int port = 0;
  close(ListenOnLoopback(&port));
  return "http://127.0.0.1:" + std::to_string(port);
}

}  // namespace gcsflux::testing
