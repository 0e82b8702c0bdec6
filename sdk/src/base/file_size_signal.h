#pragma once

#include <signal.h>

#include <cerrno>
#include <ctime>

namespace gcsflux::internal {

/// Keeps SIGXFSZ, by which a write beyond the limit on files' sizes (ulimit -f) would end the process, from this thread
/// while it lives: the write then fails with EFBIG. What the process does with the signal elsewhere is as it was.
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
  /// The caller's errno stays.
  ~FileSizeSignalBlock() {
    const int error = errno;
    // Sent to the thread that wrote: it is taken here, or it would come as soon as it may.
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
