#include "network/socket_stream.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace gcsflux::emulator {
namespace {

constexpr std::size_t kMaxHead = std::size_t{64} << 10;
constexpr std::size_t kGatherBelow = std::size_t{8} << 10;
constexpr std::size_t kTlsRecord = std::size_t{16} << 10;
constexpr char kTlsHandshake = 0x16;  // the first byte of a TLS connection: RFC 8446, 5.1
constexpr std::size_t kMinProgress = std::size_t{1} << 10;
constexpr std::chrono::seconds kLingerLimit{1};
constexpr std::chrono::seconds kLongLingerLimit{5};  // for a client that is still sending
constexpr std::size_t kMaxLinger = std::size_t{1} << 20;

}  // namespace

SocketStream::SocketStream(int socket, const TlsContext* tls, std::chrono::milliseconds patience)
    : socket_(socket, patience) {
  if (tls != nullptr) tls_.emplace(*tls, socket_);
}

bool SocketStream::Accept() {
  if (!tls_) return true;
  socket_.Expect(kMaxHead);  // longer than a handshake's: the client must finish in time
  return tls_->Accept();
}

SocketStream::HeadOutcome SocketStream::ReadHead(std::string& head) {
  head.clear();
  socket_.Expect(has_buffered() ? kMaxHead : 0);
  while (true) {
    // Only new bytes, with the three bytes before them, can complete the empty line.
    const std::size_t searched = head.size() < 3 ? 0 : head.size() - 3;
    const std::size_t before = head.size();
    head.append(buffer_.data() + begin_, end_ - begin_);
    const std::size_t found = head.find("\r\n\r\n", searched);
    if (found != std::string::npos && found + 4 <= kMaxHead) {
      begin_ += found + 4 - before;
      head.resize(found + 4);
      socket_.Expect(kMinProgress);
      return HeadOutcome::kComplete;
    }
    if (head.starts_with(kTlsHandshake)) return HeadOutcome::kTls;
    if (head.size() >= kMaxHead) return HeadOutcome::kTooLarge;
    begin_ = end_;
    while (!Fill()) {
      const bool is_idle = head.empty() && (errno == EAGAIN || errno == EWOULDBLOCK);
      const bool is_begun = !head.empty();
      if (!is_idle) return is_begun && is_overdue() ? HeadOutcome::kTooSlow : HeadOutcome::kGone;
    }
    if (head.empty()) socket_.Expect(kMaxHead);
  }
}

ssize_t SocketStream::Receive(std::span<std::byte> into) { return tls_ ? tls_->Receive(into) : socket_.Receive(into); }

bool SocketStream::Fill() {
  const ssize_t received = Receive(std::as_writable_bytes(std::span(buffer_)));
  if (received == 0) errno = ECONNRESET;
  begin_ = 0;
  end_ = received > 0 ? static_cast<std::size_t>(received) : 0;
  return received > 0;
}

std::size_t SocketStream::Read(std::span<std::byte> into) {
  if (!has_buffered() && into.size() < buffer_.size() && !Fill()) return 0;
  if (has_buffered()) {
    const std::size_t size = std::min(into.size(), end_ - begin_);
    std::memcpy(into.data(), buffer_.data() + begin_, size);
    begin_ += size;
    return size;
  }
  const ssize_t received = Receive(into);
  return received > 0 ? static_cast<std::size_t>(received) : 0;
}

std::optional<std::string> SocketStream::ReadLine(std::size_t max_size) {
  std::string line;
  while (has_buffered() || Fill()) {
    const char c = buffer_[begin_++];
    if (c == '\n') {
      if (line.ends_with('\r')) line.pop_back();
      return line;
    }
    if (line.size() > max_size) break;
    line.push_back(c);
  }
  return std::nullopt;
}

bool SocketStream::Write(std::span<const std::byte> bytes) {
  if (unsent_.size() + bytes.size() <= kGatherBelow) {
    unsent_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return true;
  }
  return Send(bytes);
}

bool SocketStream::Send(std::span<const std::byte> bytes) {
  const bool sent = tls_ ? SendEncrypted(bytes) : SendPlain(bytes);
  if (sent) unsent_.clear();
  return sent;
}

// Sends the gathered bytes and `bytes` in as few calls as the kernel allows.
bool SocketStream::SendPlain(std::span<const std::byte> bytes) {
  std::array<iovec, 2> parts{iovec{unsent_.data(), unsent_.size()},
                             iovec{const_cast<std::byte*>(bytes.data()), bytes.size()}};
  while (parts[0].iov_len + parts[1].iov_len != 0) {
    const ssize_t sent = socket_.Send(parts);
    if (sent < 0) return false;
    auto left = static_cast<std::size_t>(sent);
    for (iovec& part : parts) {
      const std::size_t done = std::min(left, part.iov_len);
      part.iov_base = static_cast<char*>(part.iov_base) + done;
      part.iov_len -= done;
      left -= done;
    }
  }
  return true;
}

// The same with TLS. Each record takes a call of its own, so the first one is filled up.
bool SocketStream::SendEncrypted(std::span<const std::byte> bytes) {
  if (!unsent_.empty()) {
    const std::span<const std::byte> first = bytes.first(std::min(bytes.size(), kTlsRecord - unsent_.size()));
    unsent_.append(reinterpret_cast<const char*>(first.data()), first.size());
    bytes = bytes.subspan(first.size());
    if (tls_->Send(std::as_bytes(std::span(unsent_))) <= 0) return false;
  }
  while (!bytes.empty()) {
    const ssize_t sent = tls_->Send(bytes);
    if (sent <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
  return true;
}

void SocketStream::CloseGracefully() {
  Flush();
  if (tls_) tls_->SendCloseNotify();
  socket_.FinishSending();
  // Closing with unread input would reset the connection, and the client might lose the answer.
  socket_.SetPatience(unread_ != 0 ? kLongLingerLimit : kLingerLimit);
  socket_.Expect(unread_ != 0 ? kMinProgress : kMaxLinger + 1);
  const std::uint64_t limit = unread_ < UINT64_MAX - kMaxLinger ? unread_ + kMaxLinger : UINT64_MAX;
  std::uint64_t discarded = 0;
  for (ssize_t received = 1; discarded < limit && received > 0;) {
    received = socket_.Receive(std::as_writable_bytes(std::span(buffer_)));  // discarded as it arrives
    discarded += static_cast<std::uint64_t>(std::max<ssize_t>(received, 0));
  }
}

}  // namespace gcsflux::emulator
