#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <iostream>
#include <string>

// A program's standard descriptors, whatever it was started with.
namespace gcsflux::emulator {

/// Opens those of descriptors 0, 1 and 2 that are closed, on /dev/null, so that no socket gets their number. Must be
/// called first.
inline void OpenClosedDescriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    // It is the lowest free one, so open() takes it.
    static_cast<void>(!::open("/dev/null", descriptor == STDIN_FILENO ? O_RDONLY : O_WRONLY));
  }
}

/// The exit status of a program that ends with `status`. If that is 0 and standard output could not be written, prints
/// a message and returns 1.
inline int FlushOutput(const char* program, int status) {
  if (std::cout.flush() || status != 0) return status;
  std::cerr << std::string(program) + ": standard output could not be written\n";
  return 1;
}

}  // namespace gcsflux::emulator
