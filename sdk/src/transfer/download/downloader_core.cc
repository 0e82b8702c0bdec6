#include "transfer/download/downloader_core.h"

#include <algorithm>
#include <utility>

namespace gcsflux::internal {

DownloaderCore::DownloaderCore(Client client, DownloaderOptions options)
    : client_(std::move(client)),
      options_(std::move(options)),
      reads_{client_, options_},
      threads_(std::make_shared<DownloadThreads>(static_cast<std::size_t>(std::max(1, options_.max_concurrency)))) {}

FetchMethod DownloaderCore::MethodFor(std::span<const DownloadSource> sources) const {
  return {
      .plan = [this, sources](std::size_t first) { return PlanDirect(sources[first], first, options_.stripe_bytes); },
      .begin =
          [this, sources](const UnitPlan& unit, std::span<const Destination> destinations) {
            return std::make_unique<DirectFetch>(reads_, sources[unit.first], destinations.front().bytes, unit.pieces);
          }};
}

}  // namespace gcsflux::internal
