#pragma once

#include <poll.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace gcsflux::emulator {

/// Connections for which the process has no descriptor, no thread or no memory. Each is answered 503 once its request
/// arrives, over one of a few descriptors kept in reserve, and closed. A silent one is closed too, after a second or
/// when its place is needed. One thread.
class RefusedConnections {
 public:
  /// Takes the reserve. Without `answers` it only closes connections: a client that expects TLS cannot read a plain
  /// answer.
  explicit RefusedConnections(bool answers);
  ~RefusedConnections();
  RefusedConnections(const RefusedConnections&) = delete;
  RefusedConnections& operator=(const RefusedConnections&) = delete;

  [[nodiscard]] bool empty() const { return refused_.empty(); }

  /// Accepts the next connection of that listening socket with a descriptor of the reserve.
  void AcceptFrom(int listening);
  /// Takes over this connection. Needs no memory, nor does Tend().
  void Take(int socket);

  /// Adds the descriptors to wait for.
  void AddTo(std::vector<pollfd>& waited) const;
  /// Answers and closes the connections that are ready, and refills the reserve.
  void Tend();

 private:
  using Clock = std::chrono::steady_clock;
  struct Refused {
    int socket = -1;
    Clock::time_point give_up = {};
    bool is_answered = false;
  };

  void Fill();
  void DropOldest();
  [[nodiscard]] bool IsDone(Refused& refused) const;

  const std::string answer_;           // "" if it gives none
  std::vector<Refused> refused_ = {};  // the oldest first
  std::vector<int> reserve_ = {};
};

}  // namespace gcsflux::emulator
