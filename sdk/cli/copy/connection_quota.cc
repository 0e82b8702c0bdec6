#include "cli/copy/connection_quota.h"

#include <algorithm>

#include "gcsflux/download_file.h"
#include "gcsflux/upload.h"

namespace gcsflux::cli {
namespace {

int Clamp(std::uint64_t count, int most) {
  return static_cast<int>(std::clamp<std::uint64_t>(count, 1, static_cast<std::uint64_t>(most)));
}

}  // namespace

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
  return Clamp(bytes / stripe + (bytes % stripe == 0 ? 0 : 1), most);
}

int UploadConnections(std::uint64_t bytes, int most) {
  constexpr std::uint64_t kShortestPart = 5U << 20;
  return bytes > kLeastParallelUpload ? Clamp(bytes / kShortestPart, most) : 1;
}

}  // namespace gcsflux::cli
