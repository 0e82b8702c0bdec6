#include "http/curl_sockets.h"

#include <fcntl.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <new>

#include "base/process/leaf_section.h"
#include "base/process/mutex.h"
#include "base/process/own_descriptors.h"

namespace gcsflux::internal {
namespace {

curl_socket_t OpenSocket(void* owner, curlsocktype, curl_sockaddr* address) {
  const int made = ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
  if (made < 0) return CURL_SOCKET_BAD;
  try {
    AddOwnDescriptor(made);
    if (owner != nullptr) static_cast<SocketOwner*>(owner)->OnOpen(made);
  } catch (const std::bad_alloc&) {
    CloseOwnDescriptor(made);
    return CURL_SOCKET_BAD;
  }
  return made;
}

int CloseSocket(void* owner, curl_socket_t socket) {
  if (owner != nullptr) static_cast<SocketOwner*>(owner)->OnClose(socket);
  CloseOwnDescriptor(socket);
  return 0;
}

// True for a socket pair like the one that libcurl makes, which exec() would leave open.
bool MayBeWakeUp(int descriptor) {
  int domain = 0;
  socklen_t size = sizeof(domain);
  if (::getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &size) != 0 || domain != AF_UNIX) return false;
  const int flags = ::fcntl(descriptor, F_GETFD);
  return flags >= 0 && (flags & FD_CLOEXEC) == 0;
}

int Count(int descriptor, unsigned long what) {
  int bytes = 0;
  return ::ioctl(descriptor, what, &bytes) == 0 ? bytes : -1;
}
int BytesToRead(int descriptor) { return Count(descriptor, FIONREAD); }
int BytesUnderWay(int descriptor) { return Count(descriptor, SIOCOUTQ); }

// The lowest free descriptor number; -1 if there is none.
int LowestFree() {
  const int probe = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (probe >= 0) static_cast<void>(::close(probe));
  return probe;
}

}  // namespace

void UseOwnSockets(CURL* easy, SocketOwner* owner) {
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, &OpenSocket);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, owner);
  curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, &CloseSocket);
  curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, owner);
}

MultiHandle MultiHandle::Make() {
  const LeafSection leaf;
  static LeafMutex mutex;
  const MutexLock one_at_a_time(mutex);  // Otherwise one thread could mistake another's pair for its own.
  const int lowest = LowestFree();
  MultiHandle made;
  made.multi_ = curl_multi_init();
  if (made.multi_ == nullptr) return made;
  made.wake_up_ = FindWakeUp(made.multi_, lowest);
  for (const int descriptor : made.wake_up_) {
    if (descriptor < 0) continue;
    static_cast<void>(::fcntl(descriptor, F_SETFD, FD_CLOEXEC));
    AddOwnDescriptor(descriptor);
  }
  return made;
}

// libcurl makes the pair without FD_CLOEXEC, and does not tell its numbers. A wake-up goes through it: one byte is sent
// at one end and waits at the other until the next poll. `lowest` is where the search starts; other threads may open
// and close descriptors meanwhile, but few.
MultiHandle::WakeUp MultiHandle::FindWakeUp(CURLM* multi, int lowest) {
  constexpr int kNear = 256;
  WakeUp found = {-1, -1};
  if (lowest < 0 || curl_multi_wakeup(multi) != CURLM_OK) return found;
  const auto look_at = [&found](int descriptor) {
    if (!MayBeWakeUp(descriptor)) return;
    if (found[0] < 0 && BytesToRead(descriptor) == 1) found[0] = descriptor;
    if (found[1] < 0 && BytesUnderWay(descriptor) > 0) found[1] = descriptor;
  };
  const auto is_found = [&found] { return found[0] >= 0 && found[1] >= 0; };
  for (int i = 0; i < kNear && !is_found(); ++i) look_at(lowest + i);
  for (int i = 1; i <= std::min(kNear, lowest) && !is_found(); ++i) look_at(lowest - i);
  curl_multi_poll(multi, nullptr, 0, 0, nullptr);
  if (found[0] >= 0 && BytesToRead(found[0]) != 0) found[0] = -1;
  if (found[1] >= 0 && BytesUnderWay(found[1]) != 0) found[1] = -1;
  return found;
}

MultiHandle::~MultiHandle() {
  if (multi_ == nullptr) return;
  const LeafSection leaf;
  for (const int descriptor : wake_up_) {
    if (descriptor >= 0) ForgetOwnDescriptor(descriptor);
  }
  curl_multi_cleanup(multi_);
}

}  // namespace gcsflux::internal
