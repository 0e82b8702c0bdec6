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

namespace gcsflux::emulator {

/// How long what is deleted could be restored; shown, not kept.
struct SoftDeletePolicy {
  std::chrono::seconds retention = {};
  Time effective = {};  ///< Since when.
};

/// One state of what is known of a bucket beside its objects; a change makes another one.
struct BucketInfo {
  std::string name = {};
  std::string location = "US";
  std::string storage_class = "STANDARD";  ///< Of new objects that name none.
  std::int64_t metageneration = 1;
  Time time_created = {};
  Time updated = {};
  bool is_versioned = false;                         ///< What is replaced or deleted stays, noncurrent.
  std::optional<SoftDeletePolicy> soft_delete = {};  ///< Unset in a new bucket takes the store's default.
  std::map<std::string, std::string> settings = {};  ///< Whatever else was set, as JSON by its name in the JSON API.
};

/// `is_versioned` and the setting of it, which are one.
inline void SwitchVersioning(BucketInfo& info, bool is_versioned) {
  info.is_versioned = is_versioned;
  info.settings["versioning"] = is_versioned ? R"({"enabled":true})" : R"({"enabled":false})";
}

using BucketInfoPtr = std::shared_ptr<const BucketInfo>;

/// Changes what it likes but name and metageneration; `updated` is the time of the change. May be called more than
/// once; on a failure nothing is changed.
using BucketInfoChange = std::function<Outcome<void>(BucketInfo&)>;

}  // namespace gcsflux::emulator
