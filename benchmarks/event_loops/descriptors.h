#pragma once

#include <sys/resource.h>

namespace gcsflux::bench {

/// Raises the process's limit of descriptors to the system's maximum: each connection needs one.
inline void AllowAllDescriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace gcsflux::bench
