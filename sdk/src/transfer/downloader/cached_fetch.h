#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "gcsflux/download.h"
#include "transfer/cache/disk_cache.h"
#include "transfer/download/group.h"

namespace gcsflux::internal {

/// Takes from the disk what the cache has, fetches the rest of the group, and keeps that.
class CachedFetch : public GroupFetch {
 public:
  /// Fetches sources [first, first + count) of the group.
  using MakeFetch = std::function<std::unique_ptr<GroupFetch>(std::size_t first, std::size_t count)>;
  /// Reads from the disk, on a thread that may wait. The arguments must outlive it.
  CachedFetch(DiskCache& cache, std::span<const DownloadSource> sources, std::span<Destination> destinations,
              const MakeFetch& make);

  Result<void> FetchRange(std::size_t range, const std::stop_token& stop) override;
  GroupOutcome Finish(const std::stop_token& stop) override;

 private:
  // Consecutive sources that the cache does not have.
  struct Missing {
    std::size_t first = 0;
    std::size_t count = 0;
    std::unique_ptr<GroupFetch> fetch = {};
    bool is_finished = false;
  };
  [[nodiscard]] std::vector<Missing> FindMissing();
  void Keep(const GroupOutcome& outcome);

  DiskCache& cache_;
  const std::span<const DownloadSource> sources_;
  const std::span<Destination> destinations_;
  std::vector<Missing> missing_;
  GroupOutcome outcome_ = {};
};

}  // namespace gcsflux::internal
