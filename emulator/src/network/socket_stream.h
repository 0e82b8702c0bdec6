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
/// One thread, Shutdown() excepted. Between requests a client may wait for ever. In mid-exchange it counts as gone when
/// it stands still for as long as the patience is, sends no whole head in it, or moves less than 1 KiB of a body in it.
class SocketStream {
 public:
  /// Takes the socket over; `tls` is null for a plain one.
  SocketStream(int socket, const TlsContext* tls, std::chrono::milliseconds patience);
  SocketStream(const SocketStream&) = delete;
  SocketStream& operator=(const SocketStream&) = delete;

  /// Comes before all else: shakes hands where there is TLS. False where the client does not.
  bool Accept();

  enum class HeadOutcome { kComplete, kTooLarge, kTooSlow, kGone };
  /// Reads up to the empty line that ends a request's head, that line included; waits for its first byte for ever.
  HeadOutcome ReadHead(std::string& head);

  /// At least one byte, at most `into.size()`; 0 where the client has gone.
  std::size_t Read(std::span<std::byte> into);
  /// One line without its end; nothing where it is longer than `max_size` or the client has gone.
  std::optional<std::string> ReadLine(std::size_t max_size);
  [[nodiscard]] bool has_buffered() const { return begin_ != end_; }
  /// See RequestBody::LimitUnderWay().
  void LimitUnderWay(std::size_t bytes) { socket_.LimitUnderWay(bytes); }
  /// Why the last of these failed, where it did: the client was too slow.
  [[nodiscard]] bool is_overdue() const { return socket_.is_overdue(); }

  /// Small writes are gathered until Flush() or a large one. False where the client has gone.
  bool Write(std::span<const std::byte> bytes);
  bool Write(std::string_view text) { return Write(std::as_bytes(std::span(text))); }
  bool Flush() { return Send({}); }

  /// Of the request that is being answered so many bytes will not be read, though they may come.
  void LeaveUnread(std::uint64_t bytes) { unread_ = bytes; }
  /// Lets the client read what was sent before the connection goes down, though it has sent more than was read: takes
  /// what comes, the bytes that were left unread and a little more, until the client closes or stands still.
  void CloseGracefully();
  /// Ends the connection with TCP's RST, in the client's eyes by an accident.
  void Reset() { socket_.Reset(); }
  /// Wakes whoever reads or writes: for them the client has gone. From any thread.
  void Shutdown() { socket_.Shutdown(); }

 private:
  bool Fill();
  [[nodiscard]] ssize_t Receive(std::span<std::byte> into);
  bool Send(std::span<const std::byte> bytes);
  bool SendPlain(std::span<const std::byte> bytes);
  bool SendEncrypted(std::span<const std::byte> bytes);

  PacedSocket socket_;
  std::optional<TlsSession> tls_;
  std::array<char, 16384> buffer_;  // what was received and not yet read is [begin_, end_)
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::string unsent_;
  std::uint64_t unread_ = 0;
};

}  // namespace gcsflux::emulator
