#pragma once

namespace gcsflux::testing {

/// While it lives, this process can start so many threads more, over all its libraries; further ones fail as they do
/// under a limit on processes, which does not bind root. One at a time.
class ThreadLimit {
 public:
  explicit ThreadLimit(int threads);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

  /// Threads that were asked for in vain.
  [[nodiscard]] int refused() const;
};

}  // namespace gcsflux::testing
