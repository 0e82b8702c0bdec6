#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>

#include "gcsflux/download.h"
#include "loop/request_slots.h"
#include "transfer/cache/disk_cache.h"
#include "transfer/composition/composer.h"
#include "transfer/connections/connection_finder.h"
#include "transfer/download/direct_fetch.h"
#include "transfer/download/group.h"
#include "transfer/downloader/source_window.h"

namespace gcsflux::internal {

/// What the calls and streams of one Downloader share. Thread-safe.
class DownloaderCore {
 public:
  /// With a cache, what it has is not fetched, and what is fetched is kept.
  DownloaderCore(Client client, DownloaderOptions options, std::shared_ptr<DiskCache> cache = nullptr);

  [[nodiscard]] const Client& client() const { return client_; }
  [[nodiscard]] const DownloaderOptions& options() const { return options_; }
  [[nodiscard]] const std::shared_ptr<RequestSlots>& slots() const { return slots_; }
  /// Returns kInvalidArgument if an option is out of its range, and kLocalIo if no thread could be started.
  [[nodiscard]] Result<void> CheckReady() const;

  /// How these sources are fetched, in groups of several sources of at most `max_group_bytes`. The sources and the core
  /// must outlive the fetches.
  [[nodiscard]] FetchMethod MethodFor(SourceWindow& sources,
                                      std::uint64_t max_group_bytes = std::numeric_limits<std::uint64_t>::max()) const;
  [[nodiscard]] CompositionReport composition_report() const;

 private:
  [[nodiscard]] FetchMethod ComposingMethod(SourceWindow& sources, std::uint64_t max_bytes) const;
  [[nodiscard]] GroupPlan PlanRead(std::span<const DownloadSource> rest, std::size_t first,
                                   std::uint64_t max_bytes) const;
  [[nodiscard]] std::unique_ptr<GroupFetch> Begin(SourceWindow& sources, const GroupPlan& group,
                                                  std::span<Destination> destinations) const;
  [[nodiscard]] std::unique_ptr<GroupFetch> FetchFromService(std::span<const DownloadSource> sources,
                                                             std::span<Destination> destinations,
                                                             std::size_t ranges) const;

  const Client client_;
  const DownloaderOptions options_;
  const std::shared_ptr<DiskCache> cache_;
  const std::shared_ptr<RequestSlots> slots_;
  const std::unique_ptr<ConnectionFinder> finder_;  // Null if the number of connections is fixed.
  const std::unique_ptr<Composer> composer_;  // Null if nothing is composed. It is destroyed before the threads end.
  const DirectReads reads_;
};

}  // namespace gcsflux::internal
