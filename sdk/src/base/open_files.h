#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string_view>

// What a process does that has no descriptor left.
namespace gcsflux::internal {

/// Error::reason of a connection that was not made for this.
inline constexpr std::string_view kTooManyOpenFiles = "EMFILE";

inline constexpr std::string_view kRemedyForOpenFiles =
    "raise the limit on open files (ulimit -n), or lower max_concurrency and max_idle_connections";

/// How many descriptors the process may still open, less a few that others will want; more than it asks for where that
/// is not looked at: a limit that is far above `wanted`.
std::size_t FreeDescriptors(std::size_t wanted);

inline bool IsOutOfDescriptors(int error) { return error == EMFILE || error == ENFILE; }

/// Whether the process, or the system, has no descriptor left at the moment. For what fails without saying why.
inline bool IsOutOfDescriptors() {
  const int descriptor = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return IsOutOfDescriptors(errno);
  ::close(descriptor);
  return false;
}

}  // namespace gcsflux::internal
