#include "bare_http.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <system_error>

namespace gcsflux::bench {
namespace {

std::optional<std::size_t> ContentLength(std::string_view head) {
  constexpr std::string_view kName = "\r\nContent-Length: ";
  const std::size_t found = head.find(kName);
  if (!head.starts_with("HTTP/1.1 200 ") || found == std::string_view::npos) return std::nullopt;
  std::size_t length = 0;
  const char* const digits = head.data() + found + kName.size();
  const auto [end, error] = std::from_chars(digits, head.data() + head.size(), length);
  return error == std::errc() ? std::optional(length) : std::nullopt;
}

}  // namespace

BareHttp::BareHttp(const std::string& endpoint) : received_(std::size_t{1} << 20, '\0') {
  socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(endpoint.substr(endpoint.rfind(':') + 1))));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    const int error = errno;
    ::close(socket_);
    throw std::system_error(error, std::generic_category(), "connect to " + endpoint);
  }
  const int yes = 1;
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

BareHttp::~BareHttp() { ::close(socket_); }

std::optional<std::string_view> BareHttp::Exchange(std::string_view method, std::string_view target,
                                                   std::string_view body) {
  request_ = method;
  request_.append(" ").append(target).append(" HTTP/1.1\r\nHost: 127.0.0.1\r\n");
  if (!body.empty()) request_.append("Content-Length: ").append(std::to_string(body.size())).append("\r\n");
  request_.append("\r\n").append(body);
  size_ = 0;
  if (!Send(request_)) return std::nullopt;
  std::size_t head_end = std::string_view::npos;
  while (head_end == std::string_view::npos) {
    if (!ReceiveAtLeast(size_ + 1)) return std::nullopt;
    head_end = std::string_view(received_.data(), size_).find("\r\n\r\n");
  }
  const std::size_t begin = head_end + 4;
  const std::optional<std::size_t> length = ContentLength({received_.data(), begin});
  if (!length || !ReceiveAtLeast(begin + *length)) return std::nullopt;
  return std::string_view(received_).substr(begin, *length);
}

bool BareHttp::Send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool BareHttp::ReceiveAtLeast(std::size_t bytes) {
  if (received_.size() < bytes) received_.resize(bytes);
  while (size_ < bytes) {
    const ssize_t received = ::recv(socket_, received_.data() + size_, received_.size() - size_, 0);
    if (received <= 0) return false;
    size_ += static_cast<std::size_t>(received);
  }
  return true;
}

}  // namespace gcsflux::bench
