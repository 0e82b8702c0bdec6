#pragma once

#include <signal.h>

#include <cerrno>
#include <ctime>

namespace gcsflux::internal {

/// Blocks SIGXFSZ on this thread while it lives. Without it, a write beyond the limit on file sizes (ulimit -f) would
/// end the process; with it, the write fails with EFBIG. Other threads are not affected.
class FileSizeSignalBlock {
 public:
  FileSizeSignalBlock() {
    sigset_t pending;
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGXFSZ) == 1;
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  /// Keeps the caller's errno.
  ~FileSizeSignalBlock() {
    const int error = errno;
    // The signal goes to the thread that wrote. It is consumed here; otherwise it would be delivered when it is
    // unblocked.
    const timespec at_once{};
    if (!was_pending_) sigtimedwait(&signal_, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }
  FileSizeSignalBlock(const FileSizeSignalBlock&) = delete;
  FileSizeSignalBlock& operator=(const FileSizeSignalBlock&) = delete;

 private:
  sigset_t signal_;
  sigset_t before_;
  bool was_pending_ = false;
};

}  // namespace gcsflux::internal
