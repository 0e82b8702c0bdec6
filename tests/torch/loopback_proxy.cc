#include "torch/loopback_proxy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>

namespace gcsflux {
namespace {

sockaddr_in Loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

int Check(int outcome, const char* call) {
  if (outcome < 0) throw std::system_error(errno, std::generic_category(), call);
  return outcome;
}

int Socket() { return Check(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"); }

bool SendAll(int fd, std::span<const char> bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
  return true;
}

}  // namespace

LoopbackProxy::LoopbackProxy(const std::string& target_endpoint, LoopbackProxyOptions options)
    : options_(std::move(options)),
      target_port_(std::stoi(target_endpoint.substr(target_endpoint.rfind(':') + 1))),
      listener_(Socket()) {
  const sockaddr_in address = Loopback(0);
  Check(::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), "bind");
  Check(::listen(listener_, 128), "listen");
  acceptor_ = std::jthread([this] { Accept(); });
}

LoopbackProxy::~LoopbackProxy() {
  ::shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  {
    const std::scoped_lock lock(mutex_);
    is_stopping_ = true;
    for (const int fd : sockets_) ::shutdown(fd, SHUT_RDWR);
  }
  arrived_.notify_all();
  connections_.clear();  // Joins.
  for (const int fd : sockets_) ::close(fd);
  ::close(listener_);
}

std::string LoopbackProxy::endpoint() const {
  sockaddr_in address{};
  socklen_t size = sizeof(address);
  Check(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), "getsockname");
  return "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
}

void LoopbackProxy::Accept() {
  for (int client = 0; (client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
    const std::scoped_lock lock(mutex_);
    sockets_.push_back(client);
    connections_.emplace_back([this, client] { Serve(client); });
  }
}

int LoopbackProxy::Track(int fd) {
  const std::scoped_lock lock(mutex_);
  sockets_.push_back(fd);
  if (is_stopping_) ::shutdown(fd, SHUT_RDWR);
  return fd;
}

void LoopbackProxy::Serve(int client) {
  const int server = Track(Socket());
  const sockaddr_in address = Loopback(target_port_);
  if (::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) return;
  const std::jthread answers([this, client, server] { PassAnswers(client, server); });

  std::array<char, 16384> buffer;
  bool is_first = true;
  for (ssize_t size = 0; (size = ::recv(client, buffer.data(), buffer.size(), 0)) > 0;) {
    if (std::exchange(is_first, false)) WaitForOthers();
    if (!SendAll(server, {buffer.data(), static_cast<std::size_t>(size)})) break;
  }
  ::shutdown(server, SHUT_RDWR);
}

void LoopbackProxy::WaitForOthers() {
  std::unique_lock lock(mutex_);
  ++with_request_;
  arrived_.notify_all();
  const auto may_pass = [this] { return with_request_ >= options_.hold_until_connections || is_stopping_; };
  if (!arrived_.wait_for(lock, std::chrono::seconds(10), may_pass)) met_at_once_ = false;
}

void LoopbackProxy::PassAnswers(int client, int server) {
  std::array<char, 16384> buffer;
  for (ssize_t size = 0; (size = ::recv(server, buffer.data(), buffer.size(), 0)) > 0;) {
    const std::span<char> bytes(buffer.data(), static_cast<std::size_t>(size));
    if (options_.edit_answer) options_.edit_answer(bytes);
    if (!SendAll(client, bytes)) break;
  }
  ::shutdown(client, SHUT_RDWR);
}

}  // namespace gcsflux
