#include "base/process/start_thread.h"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <thread>

namespace gcsflux::internal {
namespace {

// Of a thread that is started without attributes.
std::size_t StackBytes() {
  constexpr std::size_t kUsual = 8U << 20;
  std::size_t bytes = 0;
  pthread_attr_t attributes;
  if (::pthread_attr_init(&attributes) != 0) return kUsual;
  const bool is_known = ::pthread_attr_getstacksize(&attributes, &bytes) == 0 && bytes > 0;
  static_cast<void>(::pthread_attr_destroy(&attributes));
  return is_known ? bytes : kUsual;
}

}  // namespace

std::size_t ThreadsWithinAddresses() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return std::numeric_limits<std::size_t>::max();
  }
  std::size_t pages = 0;
  if (!(std::ifstream("/proc/self/statm") >> pages)) return std::numeric_limits<std::size_t>::max();
  const std::size_t used = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t left = limit.rlim_cur > used ? limit.rlim_cur - used : 0;
  // glibc's malloc gives each new thread an arena, up to 8 for each processor. An arena takes 64 MiB of addresses.
  constexpr std::size_t kArenaBytes = 64U << 20;
  const std::size_t arenas = 8 * std::max<std::size_t>(1, std::thread::hardware_concurrency());
  const std::size_t with_arena = left / 2 / (StackBytes() + kArenaBytes);
  const std::size_t threads = with_arena <= arenas ? with_arena : (left / 2 - arenas * kArenaBytes) / StackBytes();
  return std::max<std::size_t>(1, threads);
}

}  // namespace gcsflux::internal
