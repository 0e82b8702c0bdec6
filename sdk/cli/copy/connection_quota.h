#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace gcsflux::cli {

/// Divides a fixed number of connections among the files that are copied at the same time. A large file gets as many as
/// it can use. Requests are served in their order, so that one for many connections gets its turn.
/// Thread-safe.
class ConnectionQuota {
 public:
  explicit ConnectionQuota(int total) : total_(total), free_(total) {}
  ConnectionQuota(const ConnectionQuota&) = delete;
  ConnectionQuota& operator=(const ConnectionQuota&) = delete;

  /// Some connections, for as long as this object exists.
  class Lease {
   public:
    /// Waits for `count` connections, or for all of them if there are fewer.
    Lease(ConnectionQuota& quota, int count) : quota_(quota), count_(quota.Take(count)) {}
    ~Lease() { quota_.GiveBack(count_); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    [[nodiscard]] int count() const { return count_; }

   private:
    ConnectionQuota& quota_;
    const int count_;
  };

 private:
  int Take(int count);
  void GiveBack(int count);

  const int total_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int free_;  // Guarded by mutex_, like the following members.
  std::uint64_t next_ticket_ = 0;
  std::uint64_t now_serving_ = 0;
};

/// How many connections a download of this size can use: one for each stripe.
int ConnectionsFor(std::uint64_t bytes, int most);

/// How many connections an upload of this size can use: one for each of the shortest parts, if it is sent as parts.
int UploadConnections(std::uint64_t bytes, int most);

}  // namespace gcsflux::cli
