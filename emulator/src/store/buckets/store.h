#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/failure.h"
#include "base/time_source.h"
#include "store/buckets/bucket.h"
#include "store/log/change_log.h"
#include "store/log/name_locks.h"

namespace gcsflux::emulator {

struct BucketQuery {
  std::string prefix = {};
  std::size_t max_results = 1000;
  std::optional<std::string> after = {};  ///< Names after this one.
  std::int64_t after_generation = 0;      ///< Of soft-deleted buckets: with `after`, also later ones of that name.
};

struct BucketPage {
  std::vector<BucketInfo> buckets = {};
  std::optional<std::string> next = {};  ///< Set if there is more to list: the last name shown.
};

/// What is stored in all buckets, without computed objects.
struct StoreUsage {
  std::uint64_t buckets = 0;
  std::uint64_t objects = 0;
  std::uint64_t bytes = 0;
};

using StoreSnapshot = std::vector<BucketSnapshot>;

/// All buckets. Thread-safe.
class Store {
 public:
  /// `default_soft_delete` is the soft-delete policy of new buckets that have none. Zero is off.
  /// With a log, which must outlive the store, buckets survive the process, but for those with computed objects.
  explicit Store(TimeSource clock, std::chrono::seconds default_soft_delete = {}, ChangeLog* log = nullptr);

  [[nodiscard]] Time now() const { return clock_(); }

  /// Sets `info.time_created`, `info.updated` and `info.generation`. For `computed` see Bucket's constructor.
  Outcome<BucketInfo> InsertBucket(BucketInfo info, std::shared_ptr<const ObjectSource> computed = nullptr);
  /// The bucket stays usable while a caller holds it, even if it is deleted meanwhile.
  [[nodiscard]] Outcome<std::shared_ptr<Bucket>> FindBucket(std::string_view name) const;
  [[nodiscard]] BucketPage ListBuckets(const BucketQuery& query) const;
  /// A bucket with a soft-delete policy can be restored until its time has passed.
  Outcome<void> DeleteBucket(std::string_view name, const Preconditions& preconditions = {});
  [[nodiscard]] Outcome<BucketInfo> GetSoftDeletedBucket(const std::string& name, std::int64_t generation) const;
  [[nodiscard]] BucketPage ListSoftDeletedBuckets(const BucketQuery& query) const;
  /// The bucket is as it was, with no objects but soft-deleted ones. kConflict if there is a live bucket of that name.
  Outcome<BucketInfo> RestoreBucket(const std::string& name, std::int64_t generation);
  /// Removes the soft-deleted buckets and objects whose time has passed.
  void DropExpired();
  /// The live ones, in the order of their names.
  [[nodiscard]] std::vector<std::shared_ptr<Bucket>> buckets() const;
  [[nodiscard]] StoreUsage usage() const;
  /// Removes every bucket. A caller that still holds one may use it to the end; no other caller sees it.
  Outcome<void> Clear();

  /// Each bucket as it is at one moment.
  [[nodiscard]] StoreSnapshot Capture() const;
  /// Replaces all buckets, as Clear() does, by those of the snapshot.
  Outcome<void> Restore(const StoreSnapshot& snapshot);

  /// Adds a bucket that is recorded already, by its number.
  std::shared_ptr<Bucket> AdoptBucket(BucketInfo info, std::uint64_t number);

 private:
  using Buckets = std::map<std::string, std::shared_ptr<Bucket>, std::less<>>;
  using Generation = std::pair<std::string, std::int64_t>;  // a bucket's name and generation
  using DeletedBuckets = std::map<Generation, std::shared_ptr<Bucket>>;

  [[nodiscard]] std::shared_ptr<Bucket> FindSoftDeletedAt(const Generation& generation) const;
  [[nodiscard]] std::shared_ptr<Bucket> FindSoftDeleted(const Generation& generation) const;
  std::int64_t NextGeneration();
  std::shared_ptr<Bucket> Restored(const BucketSnapshot& snapshot, Change& change);

  const TimeSource clock_;
  const std::chrono::seconds default_soft_delete_;
  ChangeLog* const log_;
  NameLocks names_;  // of buckets; held before mutex_ is locked; not used without a log
  std::atomic<std::uint64_t> last_number_ = 0;
  std::atomic<std::int64_t> last_generation_ = 0;

  mutable std::shared_mutex
      mutex_;  // guards what follows; a bucket's own mutex may be taken while it is held, never the reverse
  Buckets buckets_;
  DeletedBuckets deleted_;
};

}  // namespace gcsflux::emulator
