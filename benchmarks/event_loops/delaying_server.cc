#include "event_loops/delaying_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <initializer_list>
#include <string_view>
#include <system_error>
#include <utility>

#include "crc32c.h"

namespace gcsflux::bench {
namespace {

constexpr int kSendBufferBytes = 1 << 20;  // An object of 100 KiB fits, with the kernel's own overhead.

int Checked(int result, const char* what) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), what);
  return result;
}

std::string HeadOf(const std::string& content) {
  const std::string bytes = std::to_string(content.size());
  std::string head = "HTTP/1.1 200 OK\r\n";
  for (const auto& [name, value] : std::initializer_list<std::pair<const char*, std::string>>{
           {"Content-Type", "application/octet-stream"},
           {"Content-Length", bytes},
           {"ETag", "CAE="},
           {"X-Goog-Generation", "1"},
           {"X-Goog-Metageneration", "1"},
           {"X-Goog-Hash", "crc32c=" + Crc32cBase64(Crc32c(content))},
           {"X-Goog-Storage-Class", "STANDARD"},
           {"X-Goog-Stored-Content-Encoding", "identity"},
           {"X-Goog-Stored-Content-Length", bytes},
           {"Cache-Control", "no-cache, no-store, max-age=0, must-revalidate"},
           {"Server", "UploadServer"}}) {
    head.append(name).append(": ").append(value).append("\r\n");
  }
  return head + "\r\n";
}

int FileOf(const std::string& content) {
  const int file = Checked(::memfd_create("object", MFD_CLOEXEC), "memfd_create");
  for (std::string_view rest = content; !rest.empty();) {
    rest.remove_prefix(static_cast<std::size_t>(
        Checked(static_cast<int>(::write(file, rest.data(), std::min<std::size_t>(rest.size(), 1U << 30))), "write")));
  }
  return file;
}

int ListenOn(int port) {
  const int listener = Checked(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), "socket");
  const int yes = 1;
  ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  // Accepted sockets inherit both.
  ::setsockopt(listener, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  ::setsockopt(listener, SOL_SOCKET, SO_SNDBUF, &kSendBufferBytes, sizeof kSendBufferBytes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  Checked(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), "bind");
  Checked(::listen(listener, 4096), "listen");
  return listener;
}

int PortOf(int listener) {
  sockaddr_in address{};
  socklen_t length = sizeof address;
  Checked(::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length), "getsockname");
  return ntohs(address.sin_port);
}

timespec ToTimespec(std::chrono::nanoseconds time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  return {.tv_sec = seconds.count(), .tv_nsec = (time - seconds).count()};
}

}  // namespace

DelayingServer::DelayingServer(const Options& options)
    : delay_(options.delay), body_bytes_(options.content.size()), head_(HeadOf(options.content)) {
  body_file_ = FileOf(options.content);
  listener_ = ListenOn(options.port);
  port_ = PortOf(listener_);
  epoll_ = Checked(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1");
  epoll_event event{.events = EPOLLIN, .data = {.fd = listener_}};
  Checked(::epoll_ctl(epoll_, EPOLL_CTL_ADD, listener_, &event), "epoll_ctl");
}

DelayingServer::~DelayingServer() {
  for (const auto& [socket, connection] : connections_) ::close(socket);
  for (const int file : {epoll_, listener_, body_file_}) ::close(file);
}

void DelayingServer::Run() {
  ::signal(SIGPIPE, SIG_IGN);  // sendfile() knows no MSG_NOSIGNAL, and clients disconnect during a body.
  std::array<epoll_event, 512> events;
  while (true) {
    timespec wait{};
    if (!waiting_.empty()) wait = ToTimespec(std::max(waiting_.front().due - Clock::now(), Clock::duration(0)));
    const int count = ::epoll_pwait2(epoll_, events.data(), static_cast<int>(events.size()),
                                     waiting_.empty() ? nullptr : &wait, nullptr);
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      if (event.data.fd == listener_) {
        Accept();
        continue;
      }
      if ((event.events & EPOLLOUT) != 0) Send(event.data.fd);
      if ((event.events & ~EPOLLOUT) != 0) Receive(event.data.fd);
    }
    SendDue(Clock::now());
  }
}

void DelayingServer::Accept() {
  while (true) {
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket < 0) return;
    connections_[socket].serial = ++last_serial_;
    // Registered once, edge-triggered, so that a request costs no epoll_ctl().
    epoll_event event{.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data = {.fd = socket}};
    ::epoll_ctl(epoll_, EPOLL_CTL_ADD, socket, &event);
  }
}

void DelayingServer::Receive(int socket) {
  const auto found = connections_.find(socket);
  if (found == connections_.end()) return;
  Connection& connection = found->second;
  std::array<char, 4096> block;
  ssize_t count = 0;
  do {  // A short count means an empty socket: the next byte is a new event.
    count = ::recv(socket, block.data(), block.size(), 0);
    if (count == 0 || (count < 0 && errno != EAGAIN)) return Close(socket);
    if (count > 0) connection.received.append(block.data(), static_cast<std::size_t>(count));
  } while (count == static_cast<ssize_t>(block.size()));
  TakeRequest(socket, connection);
}

void DelayingServer::TakeRequest(int socket, Connection& connection) {
  if (connection.is_answering) return;
  constexpr std::string_view kEnd = "\r\n\r\n";
  const auto end = connection.received.find(kEnd);
  if (end == std::string::npos) return;
  if (!connection.received.starts_with("GET ")) return Close(socket);
  connection.received.erase(0, end + kEnd.size());
  connection.is_answering = true;
  waiting_.push_back({.due = Clock::now() + delay_, .socket = socket, .serial = connection.serial});
}

void DelayingServer::SendDue(Clock::time_point now) {
  while (!waiting_.empty() && waiting_.front().due <= now) {
    const Answer answer = waiting_.front();
    waiting_.pop_front();
    const auto found = connections_.find(answer.socket);
    if (found == connections_.end() || found->second.serial != answer.serial) continue;
    found->second.is_due = true;
    Send(answer.socket);
  }
}

// Sends as much as the socket accepts.
void DelayingServer::Send(int socket) {
  const auto found = connections_.find(socket);
  if (found == connections_.end() || !found->second.is_due) return;
  Connection& connection = found->second;
  while (connection.head_sent < head_.size()) {
    const ssize_t sent = ::send(socket, head_.data() + connection.head_sent, head_.size() - connection.head_sent,
                                MSG_NOSIGNAL | (body_bytes_ > 0 ? MSG_MORE : 0));
    if (sent < 0 && errno == EAGAIN) return;
    if (sent < 0) return Close(socket);
    connection.head_sent += static_cast<std::size_t>(sent);
  }
  while (connection.body_sent < body_bytes_) {
    auto offset = static_cast<off_t>(connection.body_sent);
    const ssize_t sent = ::sendfile(socket, body_file_, &offset, body_bytes_ - connection.body_sent);
    if (sent < 0 && errno == EAGAIN) return;
    if (sent <= 0) return Close(socket);
    connection.body_sent += static_cast<std::size_t>(sent);
  }
  connection.is_answering = connection.is_due = false;
  connection.head_sent = connection.body_sent = 0;
  TakeRequest(socket, connection);  // If one arrived while this one was answered.
}

void DelayingServer::Close(int socket) {
  ::close(socket);
  connections_.erase(socket);
}

}  // namespace gcsflux::bench
