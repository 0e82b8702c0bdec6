#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "base/process/mutex.h"
#include "gcsflux/client.h"
#include "gcsflux/download.h"
#include "shards/held_sample.h"
#include "transfer/cache/disk_cache.h"

namespace gcsflux::internal {

/// What a scan of shards gives, one after the other.
struct ScannedItem {
  std::uint64_t epoch = 0;
  /// The place of its shard among those of the epoch; behind the last one at the epoch's end.
  std::uint64_t shard = 0;
  std::optional<HeldSample> sample = {};  ///< Nothing: the epoch's samples are over.
};

/// The samples that a scan has read and the order has not taken. Bounded; thread-safe.
class ScannedSamples {
 public:
  /// Waits while 32 MiB are held, and returns false if it was stopped.
  bool Push(ScannedItem item, const std::stop_token& stop);
  void End(std::optional<Error> error);

  /// The next one, if it is of this epoch. If there is none yet, the scan's `on_growth` is called when there are
  /// `wanted` (at least 1), or no more can come before some are taken.
  std::optional<ScannedItem> Take(std::uint64_t epoch, std::size_t wanted);
  /// Why the scan has ended, when all that it read was taken.
  [[nodiscard]] std::optional<Error> error() const;
  /// True once after Take() had nothing, when there is what it wanted.
  bool ShouldTell();

 private:
  static std::uint64_t BytesOf(const ScannedItem& item) { return item.sample ? item.sample->bytes : 0; }

  mutable Mutex mutex_;
  std::condition_variable_any room_;
  std::deque<ScannedItem> items_ GUARDED_BY(mutex_);
  std::uint64_t bytes_ GUARDED_BY(mutex_) = 0;
  std::size_t wanted_ GUARDED_BY(mutex_) = 1;  // 0: what is here was told.
  std::optional<Error> error_ GUARDED_BY(mutex_) = {};
};

/// Reads shards from front to back on its own thread, the next ones ahead, within the client's budget. The destructor
/// ends it.
class ShardScan {
 public:
  struct Settings {
    std::string bucket = {};
    std::shared_ptr<const std::vector<ListedObject>> shards = {};
    /// The shard at a place of an epoch, as an index into `shards`. Nothing behind the last one.
    std::function<std::optional<std::size_t>(std::uint64_t epoch, std::uint64_t place)> shard_at = {};
    std::uint64_t epoch = 0;  ///< Where it begins.
    std::uint64_t place = 0;
    std::function<bool(std::uint64_t epoch)> has_epoch = {};  ///< Whether it goes on with this later epoch.
    std::optional<EncryptionKey> encryption_key = {};
    CallOptions call = {};
    std::shared_ptr<DiskCache> cache = {};  ///< Null: nothing is kept.
    std::function<void()> on_growth = {};   ///< Called by its thread, without a lock.
  };
  static Result<std::unique_ptr<ShardScan>> Start(const Client& client, Settings settings);
  [[nodiscard]] const std::shared_ptr<ScannedSamples>& samples() const { return samples_; }

 private:
  ShardScan() = default;
  const std::shared_ptr<ScannedSamples> samples_ = std::make_shared<ScannedSamples>();
  std::jthread thread_;
};

}  // namespace gcsflux::internal
