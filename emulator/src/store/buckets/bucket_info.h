#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/failure.h"
#include "base/time_source.h"
#include "store/objects/object.h"

namespace gcsflux::emulator {

/// How long a deleted object or bucket can be restored: https://cloud.google.com/storage/docs/soft-delete
struct SoftDeletePolicy {
  std::chrono::seconds retention = {};
  Time effective = {};  ///< Since when.
};

/// One state of a bucket's description. A change makes another one.
struct BucketInfo {
  std::string name = {};
  std::string location = "US";
  std::string storage_class = "STANDARD";  ///< For new objects that name none.
  std::int64_t metageneration = 1;
  Time time_created = {};
  Time updated = {};
  bool is_versioned = false;                         ///< Replaced or deleted objects stay as noncurrent generations.
  std::optional<SoftDeletePolicy> soft_delete = {};  ///< If unset in a new bucket, it takes the store's default.
  std::map<std::string, std::string> settings = {};  ///< All other settings, as JSON by their names in the JSON API.
  /// What the JSON API has below the bucket's path and not in its resource, as JSON by its name there:
  /// "notificationConfigs".
  std::map<std::string, std::string> sub_resources = {};
  std::int64_t generation = 0;                     ///< Tells buckets of one name apart that exist one after the other.
  std::optional<SoftDeletion> soft_deletion = {};  ///< Set if the bucket is soft-deleted.
};

/// Whether what is deleted in it, and the bucket itself, can be restored.
inline bool HasSoftDelete(const BucketInfo& info) {
  return info.soft_delete && info.soft_delete->retention.count() != 0;
}

/// Whether its names are a tree of folders: https://cloud.google.com/storage/docs/hns-overview
bool HasHierarchicalNamespace(const BucketInfo& info);

/// `is_versioned` and the setting, which must agree.
inline void SwitchVersioning(BucketInfo& info, bool is_versioned) {
  info.is_versioned = is_versioned;
  info.settings["versioning"] = is_versioned ? R"({"enabled":true})" : R"({"enabled":false})";
}

using BucketInfoPtr = std::shared_ptr<const BucketInfo>;

/// May change everything but name and metageneration; `updated` is the time of the change. May be called more than
/// once. If it fails, nothing is changed.
using BucketInfoChange = std::function<Outcome<void>(BucketInfo&)>;

}  // namespace gcsflux::emulator
