#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/failure.h"
#include "base/time_source.h"
#include "store/objects/object.h"

namespace gcsflux::emulator {

// https://cloud.google.com/storage/docs/lifecycle

/// What must be so for a rule to act. What is unset or empty does not matter.
struct LifecycleCondition {
  std::optional<std::int64_t> age = {};  ///< Days since the generation, or the upload, was made.
  std::optional<std::int64_t> days_since_custom_time = {};
  std::optional<std::int64_t> days_since_noncurrent_time = {};
  std::optional<std::int64_t> newer_versions = {};  ///< At least so many later generations of the name.
  std::optional<std::int64_t> size_above = {};      ///< Bytes; the size itself is not above.
  std::optional<std::int64_t> size_below = {};
  std::optional<Time> created_before = {};
  std::optional<Time> custom_time_before = {};
  std::optional<Time> noncurrent_time_before = {};
  std::optional<bool> is_live = {};
  std::vector<std::string> prefixes = {};  ///< One of them.
  std::vector<std::string> suffixes = {};
  std::vector<std::string> storage_classes = {};
};

enum class LifecycleAction { kDelete, kSetStorageClass, kAbortUpload };

struct LifecycleRule {
  LifecycleAction action = LifecycleAction::kDelete;
  std::string storage_class = {};  ///< Of kSetStorageClass.
  LifecycleCondition condition = {};
};

/// The rules of a bucket's `lifecycle`. kInvalid if one has an action or a condition that there is not, or that do not
/// go together, or if there are more than 100.
Outcome<std::vector<LifecycleRule>> ParseLifecycle(const nlohmann::json& lifecycle);

/// A generation, and its place among those of its name.
struct LifecycleSubject {
  const Object& object;
  bool is_live = true;
  std::int64_t newer_versions = 0;
};

/// What the rules do with a generation: nothing if it is unset, else its new storage class, or "" to delete it. To
/// delete comes first; of several classes, that which costs least to keep. A class that costs more is never set.
std::optional<std::string> ChooseLifecycleStep(const std::vector<LifecycleRule>& rules, const LifecycleSubject& subject,
                                               Time now);

/// Whether the rules end an upload in parts that was begun then.
bool EndsUpload(const std::vector<LifecycleRule>& rules, const std::string& object, Time initiated, Time now);

}  // namespace gcsflux::emulator
