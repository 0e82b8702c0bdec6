#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/process/mutex.h"
#include "base/process/owner_process.h"
#include "base/process/per_process.h"
#include "dataset/batch_stream.h"
#include "dataset/dataset_tally.h"
#include "dataset/epoch_order.h"
#include "dataset/live_listing.h"
#include "gcsflux/client.h"
#include "gcsflux/dataset.h"
#include "gcsflux/download.h"
#include "gcsflux/epoch.h"
#include "gcsflux/events.h"
#include "shards/shard_scan.h"
#include "transfer/cache/disk_cache.h"

namespace gcsflux::internal {

struct DatasetView;

/// What all copies of a dataset share: its listing, its downloads and its decoding. Thread-safe. In a child process
/// it uses its own threads and connections, and forgets the order that the parent announced.
class DatasetCore {
 public:
  struct Settings {
    ObjectName prefix = {};
    std::vector<ListedObject> objects = {};
    /// Every process that asks for samples lists the prefix meanwhile; `objects` is empty.
    bool is_live = false;
    SampleWork work = {};
    /// Shards without an index, which are read from front to back; `objects` is empty.
    std::shared_ptr<const std::vector<ListedObject>> scanned = {};
    /// The samples of each dataset that was joined to this one; empty if none was.
    std::vector<std::size_t> parts = {};
    std::shared_ptr<const DatasetView> view = {};  ///< Not null: the samples are those of other datasets.
    /// Where the bytes of a sample are, if `objects` are not stored objects but parts of some. Null: in the object.
    std::function<DownloadSource(std::size_t sample, const ListedObject& listed)> source_of = {};
  };
  DatasetCore(const Client& client, Settings settings, const DatasetOptions& options);
  ~DatasetCore();
  DatasetCore(const DatasetCore&) = delete;
  DatasetCore& operator=(const DatasetCore&) = delete;

  [[nodiscard]] const Client& client() const { return client_; }
  [[nodiscard]] const std::shared_ptr<const Settings>& settings() const { return settings_; }
  [[nodiscard]] const DatasetOptions& options() const { return options_; }
  [[nodiscard]] const std::vector<ListedObject>& objects() const { return settings_->objects; }
  [[nodiscard]] const ListingFingerprint& fingerprint() const { return fingerprint_; }

  /// Call it if batches are requested in this order from now on, beginning at `start`. Their objects are fetched ahead.
  /// Objects fetched for another order are dropped. If the start is refused, or the order has no batch for the rank,
  /// returns kInvalidArgument, or if the listing still runs, Next() does.
  Result<void> Expect(const EpochOptions& order, const EpochStart& start) const;
  /// The errors of Expect(), without any effect.
  [[nodiscard]] Result<void> Check(const EpochOptions& order, const EpochStart& start) const;

  /// How many objects there are, if the listing is complete.
  [[nodiscard]] std::optional<std::uint64_t> count() const;

  /// The samples of these objects, which exist. If they are the next ones of the order, they are fetched ahead;
  /// otherwise they are fetched now. Their contexts are of the epoch in which an order was announced last; without an
  /// announced order, of seed 0 and epoch 0.
  [[nodiscard]] FinishedBatch Fetch(std::span<const std::size_t> samples) const;

  /// The next batch of the order's epoch. Nothing at its end.
  [[nodiscard]] Result<std::optional<FinishedBatch>> Next(std::uint64_t epoch) const;

  /// Covers the time since the dataset was made. The client's counts include all other work of the client.
  [[nodiscard]] DatasetReport report(const OperationPrices& prices) const;

 private:
  void NoteUnannounced() const;

  using ObjectAt = std::function<const ListedObject&(std::size_t)>;
  // The state in one process.
  struct Engine {
    std::shared_ptr<DecodeThreads> decoders;
    std::shared_ptr<DiskCache> cache;
    std::shared_ptr<const DownloaderCore> downloads;
    Mutex mutex = {};
    std::shared_ptr<BatchStream> stream GUARDED_BY(mutex) = {};  // In the announced order.
    EpochOptions order GUARDED_BY(mutex) = {};
    EpochStart start GUARDED_BY(mutex) = {};
    std::uint64_t epoch GUARDED_BY(mutex) = 0;  // In which the order was announced last.
    Mutex listing_mutex = {};
    std::shared_ptr<const LiveListing> listing GUARDED_BY(listing_mutex) = {};
    // It uses the stream, so it is destroyed first.
    std::unique_ptr<BackgroundListing> lister GUARDED_BY(listing_mutex) = {};
    std::unique_ptr<ShardScan> scan GUARDED_BY(mutex) = {};  // The same holds for it.
  };
  [[nodiscard]] std::shared_ptr<BatchStream> MakeStream(const Engine& engine, std::unique_ptr<BatchOrder> order,
                                                        const Cursor& start, ObjectAt object_at) const;
  [[nodiscard]] static std::shared_ptr<BatchStream> StreamOf(Engine& engine);
  Result<std::shared_ptr<const LiveListing>> ListingOf(Engine& engine) const;
  Result<std::shared_ptr<BatchStream>> StreamInOrder(Engine& engine, const EpochOptions& order,
                                                     const EpochStart& start) const;
  Result<std::unique_ptr<ShardScan>> StartScan(Engine& engine, const EpochOptions& order,
                                               const EpochStart& start) const;
  void StopScan(Engine& engine) const;

  const Client client_;
  const std::shared_ptr<const Settings> settings_;  // A stream may outlive this object.
  const DatasetOptions options_;
  const ListingFingerprint fingerprint_;
  const ObjectAt known_;
  const std::shared_ptr<DatasetTally> tally_ = std::make_shared<DatasetTally>();
  const std::shared_ptr<CacheTally> cache_tally_ = std::make_shared<CacheTally>();
  mutable std::atomic<std::uint64_t> unannounced_ = 0;  // Batches requested while no order was announced.
  const std::chrono::steady_clock::time_point made_at_ = std::chrono::steady_clock::now();
  const Counters made_with_;
  const OwnerProcess owner_;
  const PerProcess<Engine> engines_;
};

}  // namespace gcsflux::internal
