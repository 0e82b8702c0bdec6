#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

#include "gcsflux/composed_download.h"
#include "loop/request_slots.h"
#include "transfer/composition/bucket_permits.h"
#include "transfer/composition/composite_deletes.h"
#include "transfer/composition/due_tasks.h"
#include "transfer/composition/fetch_estimates.h"
#include "transfer/composition/live_composites.h"
#include "transfer/composition/unit_planner.h"
#include "transfer/download/unit.h"

namespace gcsflux::internal {

/// What all downloads of a Downloader that composes share: where it may, what requests take, and the composites that
/// are there. Thread-safe. Its end waits, for some seconds at most, until its composites are gone; the threads must
/// still run then.
class Composer {
 public:
  struct Settings {
    CompositionMode mode = CompositionMode::kAuto;
    std::optional<EncryptionKey> encryption_key = {};  ///< Of the sources, and so of composites.
    CallOptions call = {};
    std::function<void(std::uint64_t bytes)> on_read = {};  ///< Of a composite; null where it is of no use.
  };
  Composer(Client client, Settings settings, const std::shared_ptr<RequestSlots>& slots);
  ~Composer();
  Composer(const Composer&) = delete;
  Composer& operator=(const Composer&) = delete;

  [[nodiscard]] FetchEstimates& estimates() { return estimates_; }
  [[nodiscard]] BucketPermits& permits() { return permits_; }

  /// What plans go by; of use while the composer is.
  [[nodiscard]] PlanningContext planning();

  /// Fetches the sources, which are of one bucket and at most 32, through a composite: it is checked against them
  /// before it is read, each source's bytes against their CRC32C, and deleted whatever comes. Destinations hold
  /// anything after an error.
  Result<void> Fetch(std::span<const DownloadSource> sources, std::span<const Destination> destinations,
                     const std::stop_token& stop);

  /// Whether it may compose, or whether that is faster, is being found out: objects are read directly until then.
  [[nodiscard]] bool is_deciding() const { return finding_out_ > 0; }

  void CountDirect(std::size_t objects) { direct_objects_ += objects; }
  void CountFallback(std::size_t objects, const Error& error);
  [[nodiscard]] CompositionReport report() const;

 private:
  // Has the threads check a bucket, unless somebody does; Peek() of the permits tells.
  void CheckSoon(const std::string& bucket);
  // Has the threads find out what a compose takes, with these sources, unless somebody does.
  void ProbeSoon(std::span<const DownloadSource> sources);
  // How many writes a second the bucket's gate lets through; 0 where it lets through all.
  [[nodiscard]] double WritesPerSecond(const std::string& bucket) const;

  struct Made {
    Composite composite = {};
    ObjectMetadata metadata = {};
  };
  Result<Made> Make(std::span<const DownloadSource> sources, const std::stop_token& stop);
  Result<ObjectMetadata> Compose(std::span<const DownloadSource> sources, const ObjectName& name,
                                 const std::stop_token& stop) const;
  Result<void> Read(const Made& made, std::span<const DownloadSource> sources,
                    std::span<const Destination> destinations, const std::stop_token& stop);
  Result<void> FetchThrough(const Made& made, std::span<const DownloadSource> sources,
                            std::span<const Destination> destinations, const std::stop_token& stop);

  const Client client_;
  const Settings settings_;
  const std::string run_;
  LiveComposites& live_;
  FetchEstimates estimates_;
  BucketPermits permits_;
  const std::shared_ptr<DueTasks> tasks_;
  const std::shared_ptr<CompositeDeletes> deletes_;
  std::atomic<bool> is_probing_ = false;
  std::atomic<int> finding_out_ = 0;  // Checks and probes that are under way.
  std::atomic<std::uint64_t> composites_ = 0;
  std::atomic<std::uint64_t> composed_objects_ = 0;
  std::atomic<std::uint64_t> direct_objects_ = 0;
  std::atomic<std::uint64_t> fallbacks_ = 0;

  mutable std::mutex mutex_;
  std::string last_failure_;  // Guarded by mutex_.
};

/// kCorrupted where what was composed is not its sources one behind the other, by size and CRC32C. Pure.
Result<void> CheckComposite(const ObjectMetadata& composite, std::span<const DownloadSource> sources);

}  // namespace gcsflux::internal
