#pragma once

#include <poll.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace gcsflux::emulator {

/// Connections for which the process has no descriptor or no thread. Each is answered 503 once its request comes, over
/// one of a few descriptors that are kept in reserve, and closed; one that stays silent is closed too, after a second
/// or when its place is needed. One thread.
class RefusedConnections {
 public:
  /// Takes the reserve. Without `answers` it only closes: a client that expects TLS cannot read a plain answer.
  explicit RefusedConnections(bool answers);
  ~RefusedConnections();
  RefusedConnections(const RefusedConnections&) = delete;
  RefusedConnections& operator=(const RefusedConnections&) = delete;

  [[nodiscard]] bool empty() const { return refused_.empty(); }

  /// Accepts the next connection of that listening socket by a descriptor of the reserve.
  void AcceptFrom(int listening);
  /// Takes this one over.
  void Take(int socket);

  /// Adds what to wait for.
  void AddTo(std::vector<pollfd>& waited) const;
  /// Answers and closes what can be, and takes back what the reserve lacks.
  void Tend();

 private:
  using Clock = std::chrono::steady_clock;
  struct Refused {
    int socket = -1;
    Clock::time_point give_up = {};
    bool is_answered = false;
  };

  void Fill();
  [[nodiscard]] bool IsDone(Refused& refused) const;

  const bool answers_;
  std::vector<Refused> refused_ = {};  // the oldest first
  std::vector<int> reserve_ = {};
};

}  // namespace gcsflux::emulator
