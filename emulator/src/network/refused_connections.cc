#include "network/refused_connections.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "network/answer_head.h"

namespace gcsflux::emulator {
namespace {

constexpr std::size_t kReserve = 8;
constexpr std::size_t kMostRefused = 1024;  // at one time
constexpr std::chrono::seconds kPatience{1};

}  // namespace

RefusedConnections::RefusedConnections(bool answers)
    : answer_(answers ? RenderRefusal(
                            {503, "backendError", "The emulator can serve no other connection: some must end first."})
                      : std::string()) {
  refused_.reserve(kMostRefused);
  reserve_.reserve(kReserve);
  Fill();
}

RefusedConnections::~RefusedConnections() {
  for (const int kept : reserve_) ::close(kept);
  for (const Refused& refused : refused_) ::close(refused.socket);
}

// If descriptors are short this fails; the next attempt may not.
void RefusedConnections::Fill() {
  while (reserve_.size() + refused_.size() < kReserve) {
    const int kept = ::eventfd(0, EFD_CLOEXEC);
    if (kept < 0) return;
    reserve_.push_back(kept);
  }
}

void RefusedConnections::AcceptFrom(int listening) {
  if (reserve_.empty() && !refused_.empty()) {
    DropOldest();
  } else if (!reserve_.empty()) {
    ::close(reserve_.back());
    reserve_.pop_back();
  }
  const int socket = ::accept4(listening, nullptr, nullptr, SOCK_CLOEXEC);
  if (socket >= 0) return Take(socket);
  constexpr int kMoment = 10;  // milliseconds: other processes took them
  ::poll(nullptr, 0, kMoment);
}

void RefusedConnections::DropOldest() {
  ::close(refused_.front().socket);
  refused_.erase(refused_.begin());
}

void RefusedConnections::Take(int socket) {
  if (refused_.size() == kMostRefused) DropOldest();
  ::fcntl(socket, F_SETFL, O_NONBLOCK);
  refused_.push_back({.socket = socket, .give_up = Clock::now() + kPatience});
}

void RefusedConnections::AddTo(std::vector<pollfd>& waited) const {
  for (const Refused& refused : refused_) waited.push_back({.fd = refused.socket, .events = POLLIN, .revents = 0});
}

void RefusedConnections::Tend() {
  std::erase_if(refused_, [this](Refused& refused) {
    const bool is_done = IsDone(refused) || Clock::now() >= refused.give_up;
    if (is_done) ::close(refused.socket);
    return is_done;
  });
  Fill();
}

// If we closed before the client has read, it would lose the answer. So the client closes first, or its time runs out.
bool RefusedConnections::IsDone(Refused& refused) const {
  std::array<char, 16384> discarded;
  ssize_t received = 0;
  while ((received = ::recv(refused.socket, discarded.data(), discarded.size(), 0)) > 0) {
    if (answer_.empty()) return true;
    if (refused.is_answered) continue;
    refused.is_answered = true;
    ::send(refused.socket, answer_.data(), answer_.size(), MSG_NOSIGNAL);
    ::shutdown(refused.socket, SHUT_WR);
  }
  return received == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

}  // namespace gcsflux::emulator
