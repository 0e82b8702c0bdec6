#include "store/buckets/retention.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string>

#include "base/parse_time.h"
#include "base/time_format.h"
#include "json/json_shape.h"

namespace gcsflux::emulator {
namespace {

using Json = nlohmann::json;

struct Retention {
  bool is_locked = false;
  Time until = {};
};

std::optional<Retention> ReadRetention(const ObjectAttributes& attributes) {
  const auto found = attributes.settings.find("retention");
  if (found == attributes.settings.end()) return std::nullopt;
  const Json retention = Json::parse(found->second);
  const auto until = ParseRfc3339(retention.at("retainUntilTime").get<std::string>());
  return Retention{retention.at("mode") == "Locked", until.value_or(Time())};
}

}  // namespace

std::optional<Time> RetentionExpiration(const Object& object, const BucketInfo& bucket) {
  const auto found = bucket.settings.find("retentionPolicy");
  if (found == bucket.settings.end()) return std::nullopt;
  const std::int64_t seconds = ToInt64(Json::parse(found->second).at("retentionPeriod")).value_or(0);
  return object.time_created + std::chrono::seconds(seconds);
}

Outcome<void> CheckRetention(const Object& object, const BucketInfo& bucket, Time now) {
  std::optional<Time> until = RetentionExpiration(object, bucket);
  if (const auto own = ReadRetention(*object.attributes)) until = std::max(until.value_or(Time()), own->until);
  if (!until || *until <= now) return {};
  return Fail(FailureKind::kImmutable,
              "Object '" + bucket.name + "/" + object.name +
                  "' is subject to bucket's retention policy or object retention and cannot be deleted or overwritten "
                  "until " +
                  FormatRfc3339(*until));
}

Outcome<void> CheckRetentionChange(const ObjectAttributes& before, const ObjectAttributes& after,
                                   const BucketInfo& bucket, Time now, bool overrides) {
  const std::optional<Retention> old = ReadRetention(before);
  const std::optional<Retention> wanted = ReadRetention(after);
  if (!old && !wanted) return {};
  const bool is_same = old && wanted && old->until == wanted->until && old->is_locked == wanted->is_locked;
  if (is_same) return {};
  if (wanted && !bucket.settings.contains("objectRetention")) {
    return Fail(FailureKind::kInvalid, "Object retention is not enabled for the bucket.");
  }
  if (wanted && wanted->until <= now) {
    return Fail(FailureKind::kInvalid, "The time until which an object is retained must be in the future.");
  }
  if (!old) return {};
  const bool is_weaker = !wanted || wanted->until < old->until || (old->is_locked && !wanted->is_locked);
  if (!is_weaker || (!old->is_locked && overrides)) return {};
  return Fail(FailureKind::kReplaceDenied, old->is_locked
                                               ? "A locked retention cannot be removed, unlocked or reduced."
                                               : "To remove or reduce an unlocked retention, overrideUnlockedRetention "
                                                 "must be true.");
}

}  // namespace gcsflux::emulator
