#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string_view>

// The behaviour of a process without free descriptors.
namespace gcsflux::internal {

/// Error::reason of a connection that was not made because of this.
inline constexpr std::string_view kTooManyOpenFiles = "EMFILE";

inline constexpr std::string_view kRemedyForOpenFiles =
    "raise the limit on open files (ulimit -n), or lower max_concurrency and max_idle_connections";

/// How many descriptors the process may still open, minus a few that other code will need. If the limit is far above
/// `wanted`, it is not counted exactly, and the result is more than `wanted`.
std::size_t FreeDescriptors(std::size_t wanted);

inline bool IsOutOfDescriptors(int error) { return error == EMFILE || error == ENFILE; }

/// Whether the process, or the system, has no free descriptor at the moment. For failures without a reason.
inline bool IsOutOfDescriptors() {
  const int descriptor = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return IsOutOfDescriptors(errno);
  ::close(descriptor);
  return false;
}

}  // namespace gcsflux::internal
