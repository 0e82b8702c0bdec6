#include "server/listener.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <system_error>

#include "server/receive_buffer.h"

namespace gcsflux::emulator {
namespace {

// Connections that wait to be accepted: a client may open hundreds at once.
constexpr int kBacklog = 4096;

constexpr int kSmallSegment = 536;  // what every host takes: a millisecond of 1 MB/s is two of them
constexpr int kAnySegment = 32767;  // the most that can be asked for: as fast as what the system takes by itself

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
  // Not SO_REUSEPORT, with which two emulators would silently share one port.
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
  stop_event_ = ::eventfd(0, EFD_CLOEXEC);
  if (stop_event_ < 0) {
    const int error = errno;
    ::close(socket_);
    throw std::system_error(error, std::generic_category(), "eventfd");
  }
  const bool is_ipv6_literal = host.find(':') != std::string::npos;
  authority_ = (is_ipv6_literal ? "[" + host + "]" : host) + ":" + std::to_string(BoundPort(socket_));
}

Listener::~Listener() {
  ::close(socket_);
  ::close(stop_event_);
}

int Listener::Accept() {
  while (true) {
    std::array<pollfd, 2> waited{{{socket_, POLLIN, 0}, {stop_event_, POLLIN, 0}}};
    if (::poll(waited.data(), waited.size(), -1) < 0) continue;
    if (waited[1].revents != 0) return -1;
    const int connection = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection >= 0) {
      const int yes = 1;
      ::setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
      return connection;
    }
    // Out of descriptors: one comes free when a connection ends. Everything else is that connection's own matter.
    if (errno == EMFILE || errno == ENFILE) ::poll(&waited[1], 1, 10);
  }
}

void Listener::LimitUnderWay(std::size_t bytes) {
  if (bytes == 0 && !is_limited_) return;
  is_limited_ = true;  // from now on the system leaves the buffers' size to us
  const int most = bytes != 0 ? kSmallSegment : kAnySegment;
  ::setsockopt(socket_, IPPROTO_TCP, TCP_MAXSEG, &most, sizeof most);
  SetReceiveBuffer(socket_, bytes);
}

void Listener::Stop() {
  const std::uint64_t one = 1;
  // Cannot fail: the counter is never near its limit.
  [[maybe_unused]] const ssize_t written = ::write(stop_event_, &one, sizeof one);
}

}  // namespace gcsflux::emulator
