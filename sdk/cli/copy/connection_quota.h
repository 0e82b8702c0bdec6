#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "gcsflux/download_file.h"
#include "gcsflux/upload.h"

namespace gcsflux::cli {

/// Divides a fixed number of connections among the files that are copied at the same time. A large file gets as many as
/// it can use. Thread-safe.
class ConnectionQuota {
 public:
  explicit ConnectionQuota(int total) : total_(total), free_(total) {}

  /// Some connections, for as long as this object exists.
  class Lease {
   public:
    /// Waits for `count` connections, or for all of them if there are fewer.
    Lease(ConnectionQuota& quota, int count) : quota_(quota), count_(std::clamp(count, 1, quota.total_)) {
      const std::scoped_lock turn(quota_.turn_);  // Otherwise small files would overtake a large one for ever.
      std::unique_lock lock(quota_.mutex_);
      quota_.changed_.wait(lock, [&] { return quota_.free_ >= count_; });
      quota_.free_ -= count_;
    }
    ~Lease() {
      const std::scoped_lock lock(quota_.mutex_);
      quota_.free_ += count_;
      quota_.changed_.notify_one();
    }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    [[nodiscard]] int count() const { return count_; }

   private:
    ConnectionQuota& quota_;
    const int count_;
  };

 private:
  const int total_;
  std::mutex turn_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int free_;  // Guarded by mutex_.
};

/// How many connections a download of this size can use, from 1 to `most`: one for each range.
inline int ConnectionsFor(std::uint64_t bytes, int most) {
  const std::uint64_t range = DownloadFileOptions{}.range_bytes;
  return static_cast<int>(
      std::clamp<std::uint64_t>(bytes / range + (bytes % range == 0 ? 0 : 1), 1, static_cast<std::uint64_t>(most)));
}

/// How many connections an upload of this size can use: one for each of the shortest parts, if it is sent as parts.
inline int UploadConnections(std::uint64_t bytes, int most) {
  constexpr std::uint64_t kShortestPart = 5U << 20;
  if (bytes <= kLeastParallelUpload) return 1;
  return static_cast<int>(std::min(bytes / kShortestPart, static_cast<std::uint64_t>(most)));
}

}  // namespace gcsflux::cli
