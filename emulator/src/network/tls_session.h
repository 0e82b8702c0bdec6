#pragma once

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <span>

#include "network/paced_socket.h"
#include "network/tls_context.h"

namespace gcsflux::emulator {

/// One connection's TLS, over a socket that stays the caller's and at its place. One thread.
///
/// Shutting the socket down from another thread ends whatever waits in here.
class TlsSession {
 public:
  TlsSession(const TlsContext& context, PacedSocket& socket);

  /// Shakes hands; false where the client has gone, stands still, or does not speak TLS.
  bool Accept();
  /// As recv() and send() do it: the bytes that were transferred, 0 at the end, or -1 with errno, which is EAGAIN where
  /// the socket's time-out has passed.
  ssize_t Receive(std::span<std::byte> into);
  ssize_t Send(std::span<const std::byte> bytes);
  /// Tells the client that nothing more follows, so that it can trust that nothing was cut off.
  void SendCloseNotify();

 private:
  ssize_t ToResult(int outcome);

  std::unique_ptr<ssl_st, void (*)(ssl_st*)> session_;
  bool is_broken_ = false;  ///< After a fatal error nothing more may be said.
};

}  // namespace gcsflux::emulator
