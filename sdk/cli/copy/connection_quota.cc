#include "cli/copy/connection_quota.h"

#include <algorithm>

#include "gcsflux/download_file.h"

namespace gcsflux::cli {

int ConnectionQuota::Take(int count) {
  const int taken = std::clamp(count, 1, total_);
  std::unique_lock lock(mutex_);
  const std::uint64_t ticket = next_ticket_++;
  changed_.wait(lock, [&] { return ticket == now_serving_ && free_ >= taken; });
  ++now_serving_;
  free_ -= taken;
  changed_.notify_all();  // The rest may be enough for the next request.
  return taken;
}

void ConnectionQuota::GiveBack(int count) {
  {
    const std::scoped_lock lock(mutex_);
    free_ += count;
  }
  changed_.notify_all();
}

int ConnectionsFor(std::uint64_t bytes, int most) {
  const std::uint64_t stripe = DownloadFileOptions{}.stripe_bytes;
  const std::uint64_t stripes = bytes / stripe + (bytes % stripe == 0 ? 0 : 1);
  return static_cast<int>(std::clamp<std::uint64_t>(stripes, 1, static_cast<std::uint64_t>(most)));
}

}  // namespace gcsflux::cli
