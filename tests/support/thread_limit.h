#pragma once

namespace gcsflux::testing {

/// While it exists, this process can start this many more threads, over all its libraries; further ones fail as under a
/// limit on processes, which does not bind root. One at a time.
class ThreadLimit {
 public:
  explicit ThreadLimit(int threads);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

  /// Refused starts of threads.
  [[nodiscard]] int refused() const;
};

}  // namespace gcsflux::testing
