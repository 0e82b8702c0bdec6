#pragma once

#include <sys/resource.h>

namespace gcsflux::bench {

/// Lets the process open as many descriptors as the system allows it: each connection takes one.
inline void AllowAllDescriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace gcsflux::bench
