#include "network/listener.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <system_error>

#include "network/receive_buffer.h"

namespace gcsflux::emulator {
namespace {

// Connections that wait to be accepted: a client may open hundreds at once.
constexpr int kBacklog = 4096;

constexpr int kSmallSegment = 536;  // every host takes so many; a millisecond of 1 MB/s is two of them
constexpr int kAnySegment = 32767;  // the most that can be asked for: as fast as the system's own choice

using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

Addresses Resolve(const std::string& host, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (error != 0) {
    throw std::system_error(std::make_error_code(std::errc::address_not_available),
                            "cannot listen on " + host + " (" + ::gai_strerror(error) + ")");
  }
  return {found, &::freeaddrinfo};
}

int OpenListening(const addrinfo& address) {
  const int socket =
      ::socket(address.ai_family, address.ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, address.ai_protocol);
  if (socket < 0) return -1;
  const int yes = 1;
  // Not SO_REUSEPORT: with it, two emulators would silently share one port.
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (::bind(socket, address.ai_addr, address.ai_addrlen) == 0 && ::listen(socket, kBacklog) == 0) return socket;
  const int error = errno;
  ::close(socket);
  errno = error;
  return -1;
}

std::uint16_t BoundPort(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  return address.ss_family == AF_INET6 ? ntohs(reinterpret_cast<const sockaddr_in6&>(address).sin6_port)
                                       : ntohs(reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

}  // namespace

Listener::Listener(const std::string& host, std::uint16_t port) {
  const Addresses addresses = Resolve(host, port);
  for (const addrinfo* at = addresses.get(); at != nullptr && socket_ < 0; at = at->ai_next) {
    socket_ = OpenListening(*at);
  }
  if (socket_ < 0) {
    throw std::system_error(errno, std::generic_category(), "cannot listen on " + host + ":" + std::to_string(port));
  }
  event_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (event_ < 0) {
    const int error = errno;
    ::close(socket_);
    throw std::system_error(error, std::generic_category(), "eventfd");
  }
  const bool is_ipv6_literal = host.find(':') != std::string::npos;
  authority_ = (is_ipv6_literal ? "[" + host + "]" : host) + ":" + std::to_string(BoundPort(socket_));
}

Listener::~Listener() {
  ::close(socket_);
  ::close(event_);
}

Listener::Arrival Listener::Accept(std::vector<pollfd> others) {
  constexpr int kMoment = 50;  // milliseconds: others may reach their deadline
  const int patience = others.empty() ? -1 : kMoment;
  others.push_back({event_, POLLIN, 0});
  others.push_back({socket_, POLLIN, 0});
  const int ready = ::poll(others.data(), others.size(), patience);
  std::uint64_t wakes = 0;
  if (ready > 0 && others[others.size() - 2].revents != 0) {
    [[maybe_unused]] const ssize_t read = ::read(event_, &wakes, sizeof wakes);
  }
  if (is_stopped_) return {.kind = Arrival::Kind::kStopped};
  if (ready <= 0 || others.back().revents == 0) return {};
  const int connection = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
  if (connection >= 0) {
    const int yes = 1;
    ::setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return {.kind = Arrival::Kind::kConnection, .socket = connection};
  }
  // Any other error concerns that connection only.
  const bool is_shortage = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
  return {.kind = is_shortage ? Arrival::Kind::kShortage : Arrival::Kind::kWoken};
}

void Listener::LimitUnderWay(std::size_t bytes) {
  if (bytes == 0 && !is_limited_) return;
  is_limited_ = true;  // from now on the system no longer adapts the buffers' size
  const int most = bytes != 0 ? kSmallSegment : kAnySegment;
  ::setsockopt(socket_, IPPROTO_TCP, TCP_MAXSEG, &most, sizeof most);
  SetReceiveBuffer(socket_, bytes);
}

void Listener::Wake() {
  const std::uint64_t one = 1;
  // Cannot fail: the counter is never near its limit.
  [[maybe_unused]] const ssize_t written = ::write(event_, &one, sizeof one);
}

void Listener::Stop() {
  is_stopped_ = true;
  Wake();
}

}  // namespace gcsflux::emulator
