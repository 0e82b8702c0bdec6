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
  std::optional<std::string> after = {};  ///< Names behind this one.
};

struct BucketPage {
  std::vector<BucketInfo> buckets = {};
  std::optional<std::string> next = {};  ///< Set where there is more to list: the last name shown.
};

/// What is stored in all buckets, computed objects left aside.
struct StoreUsage {
  std::uint64_t buckets = 0;
  std::uint64_t objects = 0;
  std::uint64_t bytes = 0;
};

/// All buckets. Thread-safe.
class Store {
 public:
  /// `default_soft_delete` is the soft-delete policy of new buckets that have none; zero is off.
  explicit Store(TimeSource clock, std::chrono::seconds default_soft_delete = {});

  [[nodiscard]] Time now() const { return clock_(); }

  /// `info.time_created` and `info.updated` are set here. For `computed` see Bucket's constructor.
  Outcome<BucketInfo> InsertBucket(BucketInfo info, std::shared_ptr<const ObjectSource> computed = nullptr);
  /// The bucket stays usable while somebody holds it, also when it is deleted meanwhile.
  [[nodiscard]] Outcome<std::shared_ptr<Bucket>> FindBucket(std::string_view name) const;
  [[nodiscard]] BucketPage ListBuckets(const BucketQuery& query) const;
  Outcome<void> DeleteBucket(std::string_view name, const Preconditions& preconditions = {});
  [[nodiscard]] StoreUsage usage() const;
  /// Forgets every bucket. Who still holds one may use it to the end, unseen by anybody else.
  void Clear();

 private:
  const TimeSource clock_;
  const std::chrono::seconds default_soft_delete_;

  mutable std::shared_mutex mutex_;  // guards buckets_; may be held when a bucket's own is taken, never the other way
  std::map<std::string, std::shared_ptr<Bucket>, std::less<>> buckets_;
};

}  // namespace gcsflux::emulator
