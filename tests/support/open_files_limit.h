#pragma once

#include <sys/resource.h>

#include <filesystem>
#include <iterator>

namespace gcsflux::testing {

/// While it exists, this process can open this many more descriptors.
class OpenFilesLimit {
 public:
  explicit OpenFilesLimit(int more) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const std::filesystem::directory_iterator open("/proc/self/fd");
    rlimit now = before_;
    now.rlim_cur = static_cast<rlim_t>(std::distance(begin(open), end(open)) + more);
    ::setrlimit(RLIMIT_NOFILE, &now);
  }
  ~OpenFilesLimit() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  OpenFilesLimit(const OpenFilesLimit&) = delete;
  OpenFilesLimit& operator=(const OpenFilesLimit&) = delete;

 private:
  rlimit before_ = {};
};

}  // namespace gcsflux::testing
