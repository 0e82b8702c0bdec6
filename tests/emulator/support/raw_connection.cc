#include "emulator/support/raw_connection.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <system_error>
#include <utility>

namespace gcsflux::emulator {
namespace {

// A test that would wait without end fails instead. Nothing here takes this long.
constexpr timeval kPatience{30, 0};

std::uint16_t PortOf(const std::string& endpoint) {
  return static_cast<std::uint16_t>(std::stoi(endpoint.substr(endpoint.rfind(':') + 1)));
}

RawResponse ParseHead(std::string_view head) {
  RawResponse response;
  response.status_line = head.substr(0, head.find("\r\n"));
  std::from_chars(head.data() + 9, head.data() + 12, response.status);
  for (std::size_t at = head.find("\r\n") + 2; at < head.size();) {
    const std::size_t end = head.find("\r\n", at);
    const std::string_view line = head.substr(at, end - at);
    at = end + 2;
    const std::size_t colon = line.find(": ");
    if (colon == std::string_view::npos) continue;
    std::string name(line.substr(0, colon));
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    response.headers.emplace(std::move(name), line.substr(colon + 2));
  }
  return response;
}

}  // namespace

std::string RawResponse::Header(const std::string& name) const {
  const auto found = headers.find(name);
  return found != headers.end() ? found->second : std::string();
}

RawConnection::RawConnection(const std::string& endpoint) {
  socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(PortOf(endpoint));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    const int error = errno;
    ::close(socket_);
    throw std::system_error(error, std::generic_category(), "connect to " + endpoint);
  }
  const int yes = 1;
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
  ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof kPatience);
}

RawConnection::~RawConnection() { ::close(socket_); }

void RawConnection::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void RawConnection::FinishSending() { ::shutdown(socket_, SHUT_WR); }

std::ptrdiff_t RawConnection::ReceiveSome(std::span<char> into) { return ::recv(socket_, into.data(), into.size(), 0); }

bool RawConnection::Fill() {
  std::array<char, 65536> buffer;
  const std::ptrdiff_t received = ReceiveSome(buffer);
  was_reset_ = received < 0 && errno == ECONNRESET;
  if (received <= 0) return false;
  received_.append(buffer.data(), static_cast<std::size_t>(received));
  return true;
}

std::optional<RawResponse> RawConnection::Receive(bool is_head_answer) {
  std::size_t end = 0;
  while ((end = received_.find("\r\n\r\n")) == std::string::npos) {
    if (!Fill()) return std::nullopt;
  }
  RawResponse response = ParseHead(std::string_view(received_).substr(0, end + 2));
  received_.erase(0, end + 4);
  if (is_head_answer || response.status < 200) return response;
  if (response.Header("transfer-encoding") == "chunked") {
    while (true) {
      while ((end = received_.find("\r\n")) == std::string::npos) {
        if (!Fill()) return std::nullopt;
      }
      const std::size_t size = std::stoul(received_.substr(0, end), nullptr, 16);
      while (received_.size() < end + 2 + size + 2) {
        if (!Fill()) return std::nullopt;
      }
      response.body += received_.substr(end + 2, size);
      received_.erase(0, end + 2 + size + 2);
      if (size == 0) return response;
    }
  }
  const std::string length = response.Header("content-length");
  const std::size_t size = length.empty() ? 0 : std::stoul(length);
  while (received_.size() < size) {
    if (!Fill()) return std::nullopt;
  }
  response.body = received_.substr(0, size);
  received_.erase(0, size);
  return response;
}

std::string RawConnection::ReceiveAll() {
  while (Fill()) continue;
  return std::exchange(received_, {});
}

RawResponse RawConnection::Call(std::string_view method, std::string_view target, std::string_view headers,
                                std::string_view body) {
  std::string request(method);
  request += ' ';
  request += target;
  request += " HTTP/1.1\r\nHost: emulator.test\r\n";
  request += headers;
  if (!body.empty() || method == "POST" || method == "PUT" || method == "PATCH") {
    request += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  }
  request += "\r\n";
  Send(request);
  Send(body);
  std::optional<RawResponse> response = Receive(method == "HEAD");
  if (!response) throw std::system_error(std::make_error_code(std::errc::connection_reset), "no answer");
  return *std::move(response);
}

bool RawConnection::IsClosedByServer() { return received_.empty() && !Fill() && errno != EAGAIN; }

}  // namespace gcsflux::emulator
