#include "base/process/open_files.h"

#include <dirent.h>
#include <sys/resource.h>

#include <algorithm>
#include <limits>
#include <memory>

namespace gcsflux::internal {
namespace {

constexpr std::size_t kPlenty = std::numeric_limits<std::size_t>::max() / 2;
constexpr std::size_t kForOthers = 32;

std::size_t OpenDescriptors() {
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir("/proc/self/fd"), &::closedir);
  if (!directory) return 0;
  std::size_t count = 0;
  while (::readdir(directory.get()) != nullptr) ++count;
  return count;
}

}  // namespace

std::size_t FreeDescriptors(std::size_t wanted) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kPlenty;
  const std::size_t most = limit.rlim_cur;
  if (most / 2 > wanted + kForOthers) return kPlenty;
  return most - std::min(most, OpenDescriptors() + kForOthers);
}

}  // namespace gcsflux::internal
