#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <cstddef>
#include <thread>

#include "gcsflux/emulator/emulator.h"

namespace gcsflux::testing {

/// Kills a child of this process once the emulator has received this many more requests. True if the child was still
/// running. If it ends earlier, its status must be 0.
inline bool KillAfter(pid_t child, const emulator::Emulator& service, std::size_t requests) {
  const std::size_t before = service.journal().size();
  int status = 0;
  while (service.journal().size() < before + requests) {
    if (::waitpid(child, &status, WNOHANG) == child) {
      EXPECT_EQ(status, 0);
      return false;
    }
    std::this_thread::yield();
  }
  ::kill(child, SIGKILL);
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFSIGNALED(status);
}

}  // namespace gcsflux::testing
