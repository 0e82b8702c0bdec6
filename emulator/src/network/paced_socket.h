#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <chrono>
#include <cstddef>
#include <span>

#include "network/pace.h"

namespace gcsflux::emulator {

/// A connected, blocking TCP socket whose client must keep pace. One thread, except for Shutdown().
class PacedSocket {
 public:
  /// Takes ownership of the socket.
  PacedSocket(int socket, std::chrono::milliseconds patience);
  ~PacedSocket();
  PacedSocket(const PacedSocket&) = delete;
  PacedSocket& operator=(const PacedSocket&) = delete;

  /// See Pace::Expect(). At first nothing is expected.
  void Expect(std::size_t bytes) { pace_.Expect(bytes); }
  /// For what follows.
  void SetPatience(std::chrono::milliseconds patience);

  /// Like recv() and sendmsg(): -1 with errno, which is EAGAIN if nothing moved within the patience, and ETIMEDOUT if
  /// too little did. Send() raises no SIGPIPE.
  ssize_t Receive(std::span<std::byte> into);
  ssize_t Send(std::span<iovec> parts);
  /// The client may send only about so many bytes ahead of what is received, but at least the system's minimum. 0 is as
  /// many as the system likes.
  void LimitUnderWay(std::size_t bytes);
  /// Whether the last of these calls failed in either way.
  [[nodiscard]] bool is_overdue() const { return is_overdue_; }

  /// Ends sending.
  void FinishSending();
  /// Ends the connection with TCP's RST, after what was sent.
  void Reset();
  /// Wakes threads that receive or send: for them the client has gone. From any thread.
  void Shutdown();

 private:
  void AwaitDelivery();
  template <class Call>
  ssize_t Paced(Call&& call);

  const int socket_;
  Pace pace_;
  bool is_overdue_ = false;
  std::size_t under_way_ = 0;  // the last limit
};

}  // namespace gcsflux::emulator
