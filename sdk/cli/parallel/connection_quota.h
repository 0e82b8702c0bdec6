#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace gcsflux::cli {

/// Divides connections among tasks that run at the same time. A task has some connections, and bytes that it may hold
/// in memory.
///
/// `base` connections are for tasks of any size: a large one gets as many of them as it can use. Tasks of one
/// connection may have more, up to a limit that can change, as long as their bytes are few. Thread-safe.
class ConnectionQuota {
 public:
  /// What the tasks beyond `base` connections may hold, together with all others.
  static constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20;

  ConnectionQuota(int base, int limit) : base_(base), limit_(limit) {}

  /// Some connections, for as long as this object exists.
  class Lease {
   public:
    /// Waits for `count` connections, or for `base` of them if those are fewer.
    Lease(ConnectionQuota& quota, int count, std::uint64_t bytes = 0);
    ~Lease();
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    [[nodiscard]] int count() const { return count_; }

   private:
    ConnectionQuota& quota_;
    const int count_;
    const std::uint64_t bytes_;
  };

  void SetLimit(int limit);
  [[nodiscard]] int in_use();

 private:
  [[nodiscard]] bool Fits(int count, std::uint64_t bytes) const;

  const int base_;
  std::mutex turn_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int limit_;  // Guarded by mutex_, as are these.
  int in_use_ = 0;
  std::uint64_t bytes_ = 0;  // Those of all leases.
};

}  // namespace gcsflux::cli
