#include "broken/small_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <optional>
#include <system_error>

namespace gcsflux::conformance {
namespace {

/// What a connection has received. Each call is false, or nothing, if it has ended.
class Receiver {
 public:
  explicit Receiver(int socket) : socket_(socket) {}

  std::optional<std::string> Line() {
    std::size_t end = 0;
    while ((end = buffer_.find("\r\n")) == buffer_.npos) {
      if (!More()) return std::nullopt;
    }
    std::string line = buffer_.substr(0, end);
    buffer_.erase(0, end + 2);
    return line;
  }

  std::optional<std::string> Bytes(std::size_t count) {
    while (buffer_.size() < count) {
      if (!More()) return std::nullopt;
    }
    std::string bytes = buffer_.substr(0, count);
    buffer_.erase(0, count);
    return bytes;
  }

 private:
  bool More() {
    std::array<char, 65536> piece;
    const ssize_t count = recv(socket_, piece.data(), piece.size(), 0);
    if (count <= 0) return false;
    buffer_.append(piece.data(), static_cast<std::size_t>(count));
    return true;
  }

  const int socket_;
  std::string buffer_;
};

std::size_t Number(const std::string& text, int base) {
  std::size_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number, base);
  return number;
}

std::optional<std::string> ReceiveChunks(Receiver& receiver) {
  std::string body;
  for (;;) {
    const auto size = receiver.Line();
    if (!size) return std::nullopt;
    const auto chunk = receiver.Bytes(Number(*size, 16));
    const auto end = receiver.Line();
    if (!chunk || !end) return std::nullopt;
    if (chunk->empty()) return body;
    body += *chunk;
  }
}

std::optional<Request> Receive(Receiver& receiver) {
  const auto line = receiver.Line();
  if (!line) return std::nullopt;
  const std::size_t first = line->find(' ');
  const std::size_t last = line->rfind(' ');
  if (first == line->npos || first == last) return std::nullopt;
  Request request{.method = line->substr(0, first), .target = line->substr(first + 1, last - first - 1)};
  for (auto header = receiver.Line(); !header || !header->empty(); header = receiver.Line()) {
    if (!header) return std::nullopt;
    const std::size_t colon = header->find(':');
    if (colon == header->npos) return std::nullopt;
    const std::size_t value = std::min(header->find_first_not_of(' ', colon + 1), header->size());
    request.headers.emplace_back(header->substr(0, colon), header->substr(value));
  }
  request.chunked = FindHeader(request.headers, "Transfer-Encoding").has_value();
  const auto length = FindHeader(request.headers, "Content-Length");
  if (!request.chunked && !length) return request;
  request.body = request.chunked ? ReceiveChunks(receiver) : receiver.Bytes(Number(*length, 10));
  if (!request.body) return std::nullopt;
  return request;
}

bool IsFraming(const std::string& name) {
  constexpr std::array kNames = {"Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive"};
  return std::any_of(kNames.begin(), kNames.end(),
                     [&](const char* each) { return strcasecmp(each, name.c_str()) == 0; });
}

bool Send(int socket, const std::string& method, const Response& response) {
  const bool has_no_body = response.status == 204 || response.status == 304;
  std::string text = "HTTP/1.1 " + std::to_string(response.status) + " Status\r\n";
  for (const auto& [name, value] : response.headers) {
    if (!IsFraming(name)) text.append(name).append(": ").append(value).append("\r\n");
  }
  // The answer to HEAD has the length of the body that GET would have.
  const auto length = FindHeader(response.headers, "Content-Length");
  if (method == "HEAD" && length) {
    text += "Content-Length: " + *length + "\r\n";
  } else if (!has_no_body) {
    text += "Content-Length: " + std::to_string(response.body.size()) + "\r\n";
  }
  text += "\r\n";
  if (method != "HEAD" && !has_no_body) text += response.body;
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t count = send(socket, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (count <= 0) return false;
    sent += static_cast<std::size_t>(count);
  }
  return true;
}

}  // namespace

SmallServer::SmallServer(std::function<Handler()> handlers)
    : handlers_(std::move(handlers)), listener_(socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  const bool is_listening = bind(listener_, generic, size) == 0 && listen(listener_, SOMAXCONN) == 0 &&
                            getsockname(listener_, generic, &size) == 0;
  if (!is_listening) throw std::system_error(errno, std::generic_category(), "cannot listen on loopback");
  endpoint_ = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  acceptor_ = std::jthread([this] { Accept(); });
}

SmallServer::~SmallServer() {
  shutdown(listener_, SHUT_RDWR);  // ends accept()
  acceptor_.join();
  {
    const std::scoped_lock lock(mutex_);
    for (const int each : open_) shutdown(each, SHUT_RDWR);
  }
  connections_.clear();
  close(listener_);
}

void SmallServer::Accept() {
  for (;;) {
    const int connection = accept(listener_, nullptr, nullptr);
    if (connection < 0) return;
    const int on = 1;
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    const std::scoped_lock lock(mutex_);
    open_.push_back(connection);
    connections_.emplace_back([this, connection] { Serve(connection); });
  }
}

void SmallServer::Serve(int socket) {
  const Handler handler = handlers_();
  Receiver receiver(socket);
  for (auto request = Receive(receiver); request; request = Receive(receiver)) {
    if (!Send(socket, request->method, handler(*request))) break;
  }
  const std::scoped_lock lock(mutex_);
  std::erase(open_, socket);
  close(socket);
}

}  // namespace gcsflux::conformance
