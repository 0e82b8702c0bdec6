#include "api/bucket_rules.h"

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "api/access_control_list.h"
#include "base/parse_time.h"
#include "base/time_format.h"
#include "json/json_shape.h"

namespace gcsflux::emulator {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kLongestRetention = 3'155'760'000;
constexpr std::chrono::hours kReversible{90 * 24};

tl::unexpected<Failure> InvalidSetting(const std::string& field) {
  return Fail(FailureKind::kInvalid, "Invalid value for field '" + field + "'.");
}

Json OldSetting(const BucketInfo& before, const char* name) {
  const auto found = before.settings.find(name);
  return found != before.settings.end() ? Json::parse(found->second) : Json::object();
}

Outcome<void> SettleAcl(Json& settings, const char* name, AclKind kind) {
  const ApiResult<std::optional<AccessControlList>> acl = ReadAclMember(settings, kind);
  if (!acl) return Fail(FailureKind::kInvalid, acl.error().message);
  if (*acl) settings[name] = Json::parse(EncodeAcl(**acl));
  return {};
}

bool IsEnabled(const Json& access, const char* name) {
  return access.contains(name) && access[name].value("enabled", false);
}

// Two fields say it. That which differs from before is what the client has changed.
bool AsksForUniform(const Json& access, bool was_uniform) {
  const bool is_uniform = IsEnabled(access, "uniformBucketLevelAccess");
  const bool is_named = access.contains("bucketPolicyOnly");
  if (is_uniform != was_uniform && access.contains("uniformBucketLevelAccess")) return is_uniform;
  return is_named ? IsEnabled(access, "bucketPolicyOnly") : is_uniform;
}

Outcome<void> SettleUniform(Json& access, const BucketInfo& before) {
  const Json old = OldSetting(before, "iamConfiguration").value("uniformBucketLevelAccess", Json::object());
  const bool was_uniform = old.value("enabled", false);
  const bool is_uniform = AsksForUniform(access, was_uniform);
  Json state = {{"enabled", is_uniform}};
  if (was_uniform) {
    const std::string locked = old.value("lockedTime", "");
    const auto time = ParseRfc3339(locked);
    if (!is_uniform && time && *time <= before.updated) {
      return Fail(FailureKind::kInvalid, "Uniform bucket-level access cannot be disabled after " + locked + ".");
    }
    if (is_uniform) state["lockedTime"] = locked;
  } else if (is_uniform) {
    state["lockedTime"] = FormatRfc3339(before.updated + kReversible);
  }
  access["uniformBucketLevelAccess"] = access["bucketPolicyOnly"] = state;
  return {};
}

// Null if there is none. Types are checked later.
Json MemberOf(const Json& value, const char* name) { return value.is_object() ? value.value(name, Json()) : Json(); }

}  // namespace

Outcome<void> SettleAccess(Json& settings, const BucketInfo& before) {
  if (auto settled = SettleAcl(settings, "acl", AclKind::kBucket); !settled) return settled;
  if (auto settled = SettleAcl(settings, "defaultObjectAcl", AclKind::kDefaultObject); !settled) return settled;
  const Json old = OldSetting(before, "iamConfiguration");
  if (!settings.contains("iamConfiguration")) {
    if (!old.empty()) settings["iamConfiguration"] = old;  // it cannot be unset
    return {};
  }
  Json& access = settings["iamConfiguration"];
  std::string prevention = access.value("publicAccessPrevention", "inherited");
  if (prevention == "unspecified") prevention = "inherited";  // the former name
  if (prevention != "inherited" && prevention != "enforced") {
    return InvalidSetting("iamConfiguration.publicAccessPrevention");
  }
  access["publicAccessPrevention"] = prevention;
  return SettleUniform(access, before);
}

Outcome<void> CheckGivenAcls(const Json& given, const BucketInfo& info) {
  for (const auto& [name, kind] :
       {std::pair("acl", AclKind::kBucket), std::pair("defaultObjectAcl", AclKind::kDefaultObject)}) {
    if (!given.contains(name) || given[name].is_null()) continue;
    if (auto usable = CheckMayUseAcls(info); !usable) return Fail(FailureKind::kInvalid, usable.error().message);
    if (auto may = CheckPublicAccess(info, BucketAcl(info, kind)); !may) {
      return Fail(FailureKind::kPreconditionFailed, may.error().message);
    }
  }
  return {};
}

Outcome<void> SettleRetention(Json& settings, const BucketInfo& before) {
  const Json old = OldSetting(before, "retentionPolicy");
  const bool is_locked = old.value("isLocked", false);
  const auto refuse = [] {
    return Fail(FailureKind::kReplaceDenied, "A locked retention policy cannot be removed or shortened.");
  };
  if (!settings.contains("retentionPolicy")) return is_locked ? Outcome<void>(refuse()) : Outcome<void>();
  Json& policy = settings["retentionPolicy"];
  const std::int64_t period = policy.contains("retentionPeriod") ? ToInt64(policy["retentionPeriod"]).value_or(0) : 0;
  if (period < 1 || period > kLongestRetention) return InvalidSetting("retentionPolicy.retentionPeriod");
  const std::int64_t old_period = old.contains("retentionPeriod") ? ToInt64(old["retentionPeriod"]).value_or(0) : 0;
  if (is_locked && period < old_period) return refuse();
  policy["retentionPeriod"] = std::to_string(period);
  policy["effectiveTime"] = period == old_period ? old["effectiveTime"] : Json(FormatRfc3339(before.updated));
  policy.erase("isLocked");  // there is a method that locks
  if (is_locked) policy["isLocked"] = true;
  return {};
}

Outcome<void> SettleNamespace(Json& settings, const BucketInfo& before) {
  const Json old = OldSetting(before, "hierarchicalNamespace");
  const bool is_new = before.time_created == Time();
  if (!is_new && !settings.contains("hierarchicalNamespace") && !old.empty()) settings["hierarchicalNamespace"] = old;
  const bool has_folders = IsEnabled(settings, "hierarchicalNamespace");
  if (!is_new && has_folders != old.value("enabled", false)) {
    return Fail(FailureKind::kInvalid, "A hierarchical namespace can only be enabled when a bucket is made.");
  }
  if (!has_folders) return {};
  const Json access = settings.value("iamConfiguration", Json::object());
  if (!IsEnabled(access, "uniformBucketLevelAccess")) {
    return Fail(FailureKind::kInvalid, "A hierarchical namespace requires uniform bucket-level access.");
  }
  if (IsEnabled(settings, "versioning")) {
    return Fail(FailureKind::kInvalid, "Object versioning is not supported with a hierarchical namespace.");
  }
  return {};
}

Outcome<void> SettleAutoclass(Json& settings, const BucketInfo& before) {
  if (!settings.contains("autoclass")) return {};
  Json& autoclass = settings["autoclass"];
  const Json old = OldSetting(before, "autoclass");
  const bool is_enabled = autoclass.value("enabled", false);
  const std::string now = FormatRfc3339(before.updated);
  const bool is_switched = is_enabled != old.value("enabled", false);
  autoclass["toggleTime"] = is_switched ? now : old.value("toggleTime", now);
  autoclass.erase("terminalStorageClassUpdateTime");
  if (!is_enabled) {
    autoclass.erase("terminalStorageClass");
    return {};
  }
  const std::string terminal = autoclass.value("terminalStorageClass", "NEARLINE");
  if (terminal != "NEARLINE" && terminal != "ARCHIVE") return InvalidSetting("autoclass.terminalStorageClass");
  const bool is_same = terminal == old.value("terminalStorageClass", "");
  autoclass["terminalStorageClass"] = terminal;
  autoclass["terminalStorageClassUpdateTime"] = is_same ? old.value("terminalStorageClassUpdateTime", now) : now;
  return {};
}

Outcome<void> LockRetention(BucketInfo& info) {
  Json policy = OldSetting(info, "retentionPolicy");
  if (policy.empty()) return Fail(FailureKind::kInvalid, "The bucket has no retention policy to lock.");
  policy["isLocked"] = true;
  info.settings["retentionPolicy"] = policy.dump();
  return {};
}

ApiResult<void> RefuseUnserved(const Json& settings) {
  const auto refuse = [](const std::string& what) {
    return tl::unexpected(ApiError{501, "notImplemented", "The emulator does not serve " + what + "."});
  };
  // Types are checked later.
  const auto has = [&](const char* setting, const char* member, const Json& value) {
    const Json given = settings.value(setting, Json());
    return given.is_object() && given.value(member, Json()) == value;
  };
  if (has("ipFilter", "mode", "Enabled")) return refuse("ipFilter");
  if (settings.value("softDeletePolicy", Json::object()).contains("hardDeletePause")) {
    return refuse("softDeletePolicy.hardDeletePause");
  }
  for (const Json& rule : MemberOf(MemberOf(settings, "lifecycle"), "rule")) {
    if (!MemberOf(MemberOf(rule, "condition"), "matchesPattern").is_null()) {
      return refuse("lifecycle.rule.condition.matchesPattern");
    }
  }
  const Json encryption = settings.value("encryption", Json::object());
  for (const auto& [name, setting] : encryption.items()) {
    const bool is_restricted = setting.is_object() && setting.value("restrictionMode", Json()) == "FullyRestricted";
    if (is_restricted) return refuse("encryption." + name);
  }
  return {};
}

}  // namespace gcsflux::emulator
