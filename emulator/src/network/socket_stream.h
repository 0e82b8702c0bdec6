#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "network/paced_socket.h"
#include "network/tls_session.h"

namespace gcsflux::emulator {

/// A connected TCP socket, plain or with TLS: buffered reading of heads, bodies straight into the caller's memory,
/// gathered writing.
///
/// One thread, except for Shutdown(). Between requests a client may wait without limit. Within an exchange it counts as
/// gone if, for as long as the patience, it sends nothing, does not complete a head, or moves less than 1 KiB of a
/// body.
class SocketStream {
 public:
  /// Takes ownership of the socket; `tls` is null for a plain one.
  SocketStream(int socket, const TlsContext* tls, std::chrono::milliseconds patience);
  SocketStream(const SocketStream&) = delete;
  SocketStream& operator=(const SocketStream&) = delete;

  /// Must be called first. Shakes hands if there is TLS. Returns false if the client does not.
  bool Accept();

  enum class HeadOutcome { kComplete, kTooLarge, kTooSlow, kTls, kGone };
  /// Reads up to and including the empty line that ends a request's head. Waits for its first byte without limit. A
  /// client that wants to shake hands for TLS is known by that byte: it would wait for ever.
  HeadOutcome ReadHead(std::string& head);

  /// At least one byte, at most `into.size()`; 0 if the client has gone.
  std::size_t Read(std::span<std::byte> into);
  /// One line without its end. Nothing if it is longer than `max_size` or the client has gone.
  std::optional<std::string> ReadLine(std::size_t max_size);
  [[nodiscard]] bool has_buffered() const { return begin_ != end_; }
  /// See RequestBody::LimitUnderWay().
  void LimitUnderWay(std::size_t bytes) { socket_.LimitUnderWay(bytes); }
  /// If the last of these failed, whether the client was too slow.
  [[nodiscard]] bool is_overdue() const { return socket_.is_overdue(); }

  /// Small writes are gathered until Flush() or a large one. Returns false if the client has gone.
  bool Write(std::span<const std::byte> bytes);
  bool Write(std::string_view text) { return Write(std::as_bytes(std::span(text))); }
  bool Flush() { return Send({}); }

  /// So many bytes of the current request will not be read, though they may arrive.
  void LeaveUnread(std::uint64_t bytes) { unread_ = bytes; }
  /// Lets the client read what was sent before the connection closes, even if it sent more than was read. Discards the
  /// unread bytes, and a few more, until the client closes or stops sending.
  void CloseGracefully();
  /// Ends the connection with TCP's RST. To the client it looks like an accident.
  void Reset() { socket_.Reset(); }
  /// Wakes threads that read or write: for them the client has gone. From any thread.
  void Shutdown() { socket_.Shutdown(); }

 private:
  bool Fill();
  [[nodiscard]] ssize_t Receive(std::span<std::byte> into);
  bool Send(std::span<const std::byte> bytes);
  bool SendPlain(std::span<const std::byte> bytes);
  bool SendEncrypted(std::span<const std::byte> bytes);

  PacedSocket socket_;
  std::optional<TlsSession> tls_;
  std::array<char, 16384> buffer_;  // received and not yet read: [begin_, end_)
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::string unsent_;
  std::uint64_t unread_ = 0;
};

}  // namespace gcsflux::emulator
