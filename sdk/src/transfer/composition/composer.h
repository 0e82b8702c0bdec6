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

#include "base/process/mutex.h"
#include "gcsflux/download.h"
#include "loop/request_slots.h"
#include "transfer/composition/bucket_permits.h"
#include "transfer/composition/composite_deletes.h"
#include "transfer/composition/due_tasks.h"
#include "transfer/composition/fetch_estimates.h"
#include "transfer/composition/group_planner.h"
#include "transfer/composition/live_composites.h"
#include "transfer/download/group.h"

namespace gcsflux::internal {

/// What all downloads of a composing Downloader share: the permits, the measured times, and the present composites.
/// Thread-safe. The destructor waits some seconds at most until its composites are deleted; the threads must still run
/// then.
class Composer {
 public:
  struct Settings {
    CompositionMode mode = CompositionMode::kAuto;
    std::optional<EncryptionKey> encryption_key = {};  ///< The key of the sources, and so of composites.
    std::string kms_key_name = {};                     ///< Of composites; empty for none.
    CallOptions call = {};
    /// Told of each read of a composite; null if it is not needed.
    std::function<void(std::uint64_t bytes)> on_read = {};
  };
  Composer(Client client, Settings settings, const std::shared_ptr<RequestSlots>& slots);
  ~Composer();
  Composer(const Composer&) = delete;
  Composer& operator=(const Composer&) = delete;

  [[nodiscard]] FetchEstimates& estimates() { return estimates_; }
  [[nodiscard]] BucketPermits& permits() { return permits_; }

  /// The data that plans use; valid as long as the composer.
  [[nodiscard]] PlanningContext planning();

  /// Fetches the sources, at most 32 of one bucket, through a composite. Under kAuto it returns kRateLimited soon if
  /// the bucket's writes are throttled: direct reads do not wait for them. The composite is checked against them before
  /// it is read, and each source's bytes against their CRC32C. The composite is always deleted. After an error the
  /// content of the destinations is undefined.
  Result<void> Fetch(std::span<const DownloadSource> sources, std::span<Destination> destinations,
                     const std::stop_token& stop);

  /// The client's gate paces composes, so that one came too late. This says nothing about the bucket.
  [[nodiscard]] bool IsOnlyLate(const Error& error) const;
  /// Runs the task when a connection is free, in turn with downloads.
  void RunSoon(std::function<void()> task);

  /// True while a check or a probe decides whether to compose; objects are read directly until then.
  [[nodiscard]] bool is_deciding() const { return finding_out_ > 0; }

  void CountDirect(std::size_t objects) { direct_objects_ += objects; }
  void CountFallback(std::size_t objects, const Error& error);
  [[nodiscard]] CompositionReport report() const;

 private:
  // Makes the threads check a bucket, unless a check is in progress. Peek() of the permits gives the result.
  void CheckSoon(const std::string& bucket);
  // Makes the threads measure a compose of these sources, unless a probe is in progress.
  void ProbeSoon(std::span<const DownloadSource> sources);
  // How many writes per second the bucket's gate lets through; 0 means all.
  [[nodiscard]] double WritesPerSecond(const std::string& bucket) const;

  struct Made {
    Composite composite = {};
    ObjectMetadata metadata = {};
  };
  Result<Made> Make(std::span<const DownloadSource> sources, const std::stop_token& stop);
  Result<ObjectMetadata> Compose(std::span<const DownloadSource> sources, const ObjectName& name,
                                 const std::stop_token& stop) const;
  Result<void> Read(const Made& made, std::span<const DownloadSource> sources, std::span<Destination> destinations,
                    const std::stop_token& stop);
  Result<void> FetchThrough(const Made& made, std::span<const DownloadSource> sources,
                            std::span<Destination> destinations, const std::stop_token& stop);

  const Client client_;
  const Settings settings_;
  const std::string run_;
  const CallOptions compose_call_;
  LiveComposites& live_;
  FetchEstimates estimates_;
  BucketPermits permits_;
  const std::shared_ptr<DueTasks> tasks_;
  const std::shared_ptr<CompositeDeletes> deletes_;
  std::atomic<bool> is_probing_ = false;
  std::atomic<int> finding_out_ = 0;  // Checks and probes in progress.
  std::atomic<std::uint64_t> composites_ = 0;
  std::atomic<std::uint64_t> composed_objects_ = 0;
  std::atomic<std::uint64_t> direct_objects_ = 0;
  std::atomic<std::uint64_t> fallbacks_ = 0;

  mutable Mutex mutex_;
  std::string last_failure_ GUARDED_BY(mutex_);
};

/// Returns kCorrupted if size or CRC32C of the composite are not those of its sources in order. Pure.
Result<void> CheckComposite(const ObjectMetadata& composite, std::span<const DownloadSource> sources);

}  // namespace gcsflux::internal
