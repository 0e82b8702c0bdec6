#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <chrono>
#include <cstddef>
#include <span>

#include "network/pace.h"

namespace gcsflux::emulator {

/// A connected TCP socket, blocking, whose client has to keep pace. One thread, Shutdown() excepted.
class PacedSocket {
 public:
  /// Takes the socket over.
  PacedSocket(int socket, std::chrono::milliseconds patience);
  ~PacedSocket();
  PacedSocket(const PacedSocket&) = delete;
  PacedSocket& operator=(const PacedSocket&) = delete;

  /// See Pace::Expect(). In the beginning nothing is expected.
  void Expect(std::size_t bytes) { pace_.Expect(bytes); }
  /// For what follows.
  void SetPatience(std::chrono::milliseconds patience);

  /// As recv() and sendmsg() do it: -1 with errno, which is EAGAIN where nothing moved for as long as the patience is,
  /// and ETIMEDOUT where too little did. Send() raises no SIGPIPE.
  ssize_t Receive(std::span<std::byte> into);
  ssize_t Send(std::span<iovec> parts);
  /// The client may send only about so many bytes ahead of what is received, and no fewer than the system's least; 0
  /// is as many as the system likes.
  void LimitUnderWay(std::size_t bytes);
  /// Whether the last of these calls failed in either way.
  [[nodiscard]] bool is_overdue() const { return is_overdue_; }

  /// Nothing more is sent.
  void FinishSending();
  /// Ends the connection with TCP's RST, behind what was sent.
  void Reset();
  /// Wakes whoever receives or sends: for them the client has gone. From any thread.
  void Shutdown();

 private:
  void AwaitDelivery();
  template <class Call>
  ssize_t Paced(Call&& call);

  const int socket_;
  Pace pace_;
  bool is_overdue_ = false;
  std::size_t under_way_ = 0;  // as it was limited last
};

}  // namespace gcsflux::emulator
