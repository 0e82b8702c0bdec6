#include "network/paced_socket.h"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "network/receive_buffer.h"

namespace gcsflux::emulator {
namespace {

constexpr int kMostWindow = 1 << 30;  // TCP's

timeval ToTimeval(std::chrono::milliseconds time) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
  const std::chrono::microseconds rest = time - seconds;
  return {static_cast<time_t>(seconds.count()), static_cast<suseconds_t>(rest.count())};
}

}  // namespace

PacedSocket::PacedSocket(int socket, std::chrono::milliseconds patience) : socket_(socket), pace_(patience) {
  SetPatience(patience);
}

PacedSocket::~PacedSocket() { ::close(socket_); }

void PacedSocket::SetPatience(std::chrono::milliseconds patience) {
  pace_ = Pace(patience);
  const timeval limit = ToTimeval(patience);
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

template <class Call>
ssize_t PacedSocket::Paced(Call&& call) {
  const auto begin = std::chrono::steady_clock::now();
  ssize_t moved = 0;
  do {
    moved = call();
  } while (moved < 0 && errno == EINTR);
  const int error = errno;
  const bool keeps_pace =
      pace_.Keeps(std::chrono::steady_clock::now() - begin, static_cast<std::size_t>(std::max<ssize_t>(moved, 0)));
  is_overdue_ = !keeps_pace || (moved < 0 && (error == EAGAIN || error == EWOULDBLOCK));
  errno = keeps_pace || moved < 0 ? error : ETIMEDOUT;
  return keeps_pace ? moved : -1;
}

ssize_t PacedSocket::Receive(std::span<std::byte> into) {
  return Paced([&] { return ::recv(socket_, into.data(), into.size(), 0); });
}

ssize_t PacedSocket::Send(std::span<iovec> parts) {
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  return Paced([&] { return ::sendmsg(socket_, &message, MSG_NOSIGNAL); });
}

// A reset discards what is still on its way. The client's system accepts it while its reader reads on. Nothing tells
// when it has, so it is polled.
void PacedSocket::AwaitDelivery() {
  constexpr int kOnceIn = 1;        // millisecond
  constexpr int kMostTries = 1000;  // if a client does not read for a second, it may miss some of it
  pollfd connection{.fd = socket_, .events = POLLRDHUP, .revents = 0};
  int under_way = 0;
  for (int tries = 0; tries < kMostTries; ++tries) {
    if (::ioctl(socket_, SIOCOUTQ, &under_way) != 0 || under_way == 0) return;
    if (::poll(&connection, 1, kOnceIn) != 0) return;
  }
}

void PacedSocket::Reset() {
  AwaitDelivery();
  // Dissolving the association sends the RST at once. So would closing with SO_LINGER at 0, but the descriptor must
  // stay ours: another thread may be about to shut it down.
  sockaddr address{};
  address.sa_family = AF_UNSPEC;
  static_cast<void>(::connect(socket_, &address, sizeof address));
}

void PacedSocket::LimitUnderWay(std::size_t bytes) {
  if (bytes == under_way_) return;
  under_way_ = bytes;  // after the first call the system no longer adapts the size
  tcp_info info{};
  socklen_t size = sizeof info;
  ::getsockopt(socket_, IPPROTO_TCP, TCP_INFO, &info, &size);
  // With room for less than one or two segments, nothing would arrive until the client's timers expire.
  SetReceiveBuffer(socket_, bytes == 0 ? 0 : std::max<std::size_t>(bytes, std::size_t{2} * info.tcpi_advmss));
  const int window = kMostWindow;  // if a connection began with a small buffer, its own would stay small
  ::setsockopt(socket_, IPPROTO_TCP, TCP_WINDOW_CLAMP, &window, sizeof window);
}

void PacedSocket::FinishSending() { ::shutdown(socket_, SHUT_WR); }
void PacedSocket::Shutdown() { ::shutdown(socket_, SHUT_RDWR); }

}  // namespace gcsflux::emulator
