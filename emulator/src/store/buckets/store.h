#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/failure.h"
#include "base/time_source.h"
#include "store/buckets/bucket.h"

namespace gcsflux::emulator {

struct BucketQuery {
  std::string prefix = {};
  std::size_t max_results = 1000;
  std::optional<std::string> after = {};  ///< Names after this one.
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

/// All buckets. Thread-safe.
class Store {
 public:
  /// `default_soft_delete` is the soft-delete policy of new buckets that have none. Zero is off.
  explicit Store(TimeSource clock, std::chrono::seconds default_soft_delete = {});

  [[nodiscard]] Time now() const { return clock_(); }

  /// Sets `info.time_created` and `info.updated`. For `computed` see Bucket's constructor.
  Outcome<BucketInfo> InsertBucket(BucketInfo info, std::shared_ptr<const ObjectSource> computed = nullptr);
  /// The bucket stays usable while a caller holds it, even if it is deleted meanwhile.
  [[nodiscard]] Outcome<std::shared_ptr<Bucket>> FindBucket(std::string_view name) const;
  [[nodiscard]] BucketPage ListBuckets(const BucketQuery& query) const;
  Outcome<void> DeleteBucket(std::string_view name, const Preconditions& preconditions = {});
  [[nodiscard]] StoreUsage usage() const;
  /// Removes every bucket. A caller that still holds one may use it to the end; no other caller sees it.
  void Clear();

 private:
  const TimeSource clock_;
  const std::chrono::seconds default_soft_delete_;

  mutable std::shared_mutex
      mutex_;  // guards buckets_; a bucket's own mutex may be taken while it is held, never the reverse
  std::map<std::string, std::shared_ptr<Bucket>, std::less<>> buckets_;
};

}  // namespace gcsflux::emulator
