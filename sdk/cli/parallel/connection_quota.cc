#include "cli/parallel/connection_quota.h"

#include <algorithm>

namespace gcsflux::cli {

ConnectionQuota::Lease::Lease(ConnectionQuota& quota, int count, std::uint64_t bytes)
    : quota_(quota), count_(std::clamp(count, 1, quota.base_)), bytes_(bytes) {
  const std::scoped_lock turn(quota_.turn_);  // Otherwise small tasks would overtake a large one for ever.
  std::unique_lock lock(quota_.mutex_);
  quota_.changed_.wait(lock, [&] { return quota_.Fits(count_, bytes_); });
  quota_.in_use_ += count_;
  quota_.bytes_ += bytes_;
}

ConnectionQuota::Lease::~Lease() {
  const std::scoped_lock lock(quota_.mutex_);
  quota_.in_use_ -= count_;
  quota_.bytes_ -= bytes_;
  quota_.changed_.notify_one();
}

bool ConnectionQuota::Fits(int count, std::uint64_t bytes) const {
  if (in_use_ + count <= base_) return true;
  return count == 1 && in_use_ < limit_ && bytes_ + bytes <= kMostBytes;
}

void ConnectionQuota::SetLimit(int limit) {
  const std::scoped_lock lock(mutex_);
  limit_ = limit;
  changed_.notify_one();
}

int ConnectionQuota::in_use() {
  const std::scoped_lock lock(mutex_);
  return in_use_;
}

}  // namespace gcsflux::cli
