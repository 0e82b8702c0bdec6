#pragma once

#include <linux/filter.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>

// Ways in which a process stops taking part in its job, from outside.
namespace gcsflux::testing {

enum class Break { kKill, kStop, kCut };

inline const char* NameOf(Break way) {
  return way == Break::kKill ? "killed" : way == Break::kStop ? "stopped" : "cut from the network";
}

// In a signal handler: from now on nothing arrives by the connections that the process has, acknowledgements neither.
inline void DropAllThatArrives(int /*signal*/) {
  constexpr int kMostDescriptors = 512;
  sock_filter drop = BPF_STMT(BPF_RET | BPF_K, 0);
  const sock_fprog program{.len = 1, .filter = &drop};
  for (int descriptor = 3; descriptor < kMostDescriptors; ++descriptor) {
    int domain = 0;
    socklen_t length = sizeof(domain);
    if (getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &length) != 0 || domain == AF_UNIX) continue;
    setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program));
  }
}

/// In a process that BreakProcess() may cut.
inline void PrepareToBeCut() { ::signal(SIGUSR1, DropAllThatArrives); }

inline void BreakProcess(pid_t pid, Break way) {
  ::kill(pid, way == Break::kKill ? SIGKILL : way == Break::kStop ? SIGSTOP : SIGUSR1);
}

}  // namespace gcsflux::testing
