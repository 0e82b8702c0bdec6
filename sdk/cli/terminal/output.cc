#include "cli/terminal/output.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <ctime>
#include <iomanip>
#include <iostream>
#include <sstream>

#include "base/text/printable.h"

namespace gcsflux::cli {

void OpenClosedDescriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    // It is the lowest free one, so open() takes it.
    static_cast<void>(!::open("/dev/null", descriptor == STDIN_FILENO ? O_RDONLY : O_WRONLY));
  }
}

std::string Shown(std::string text) {
  static const bool kIsTerminal = ::isatty(STDOUT_FILENO) == 1;
  return kIsTerminal ? internal::Printable(std::move(text), '?') : text;
}

Result<void> FlushOutput() {
  std::cout.flush();
  const bool is_flushed = std::fflush(stdout) == 0;
  if (std::cout && is_flushed && std::ferror(stdout) == 0) return {};
  return Error{ErrorCode::kLocalIo, "standard output could not be written"};
}

std::string Iso8601(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  std::ostringstream text;
  text << std::put_time(&utc, "%Y-%m-%dT%H:%M:%SZ");
  return text.str();
}

}  // namespace gcsflux::cli
