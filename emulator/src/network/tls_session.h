#pragma once

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <span>

#include "network/paced_socket.h"
#include "network/tls_context.h"

namespace gcsflux::emulator {

/// One connection's TLS, over a socket that the caller keeps. One thread.
///
/// If another thread shuts the socket down, calls that wait here return.
class TlsSession {
 public:
  TlsSession(const TlsContext& context, PacedSocket& socket);

  /// Shakes hands. Returns false if the client has gone, stands still, or does not speak TLS.
  bool Accept();
  /// Like recv() and send(): the bytes transferred, 0 at the end, or -1 with errno, which is EAGAIN if the socket's
  /// time-out has passed.
  ssize_t Receive(std::span<std::byte> into);
  ssize_t Send(std::span<const std::byte> bytes);
  /// Tells the client that nothing follows, so it can trust that nothing was cut off.
  void SendCloseNotify();

 private:
  ssize_t ToResult(int outcome);

  std::unique_ptr<ssl_st, void (*)(ssl_st*)> session_;
  bool is_broken_ = false;  ///< After a fatal error, no more messages are allowed.
};

}  // namespace gcsflux::emulator
