#pragma once

#include <memory>
#include <span>

#include "gcsflux/download.h"
#include "transfer/download/direct_fetch.h"
#include "transfer/download/download_threads.h"
#include "transfer/download/unit.h"

namespace gcsflux::internal {

/// What the calls and streams of one Downloader share. Thread-safe.
class DownloaderCore {
 public:
  DownloaderCore(Client client, DownloaderOptions options);

  [[nodiscard]] const Client& client() const { return client_; }
  [[nodiscard]] const DownloaderOptions& options() const { return options_; }
  [[nodiscard]] const std::shared_ptr<DownloadThreads>& threads() const { return threads_; }

  /// How these sources are fetched. They and the core outlive what is fetched by it.
  [[nodiscard]] FetchMethod MethodFor(std::span<const DownloadSource> sources) const;

 private:
  const Client client_;
  const DownloaderOptions options_;
  const DirectReads reads_;
  const std::shared_ptr<DownloadThreads> threads_;
};

}  // namespace gcsflux::internal
