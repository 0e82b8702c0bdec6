#include "api/bucket_requests.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "api/bucket_rules.h"
#include "http/json_error.h"
#include "json/bounded_json.h"
#include "json/json_shape.h"
#include "store/lifecycle/lifecycle_rules.h"
#include "store/objects/storage_class.h"

namespace gcsflux::emulator {
namespace {

using Json = nlohmann::json;

// The settings of a bucket, and their types.
const Json& SettingShapes() {
  static const Json kShapes = Json::parse(R"({
    "acl": [{"entity": "string", "role": "string"}],
    "autoclass": {"enabled": "boolean", "terminalStorageClass": "string"},
    "billing": {"requesterPays": "boolean"},
    "cors": [{"origin": ["string"], "method": ["string"], "responseHeader": ["string"], "maxAgeSeconds": "integer"}],
    "customPlacementConfig": {"dataLocations": ["string"]},
    "defaultEventBasedHold": "boolean",
    "defaultObjectAcl": [{"entity": "string", "role": "string"}],
    "encryption": {"defaultKmsKeyName": "string",
                   "customerManagedEncryptionEnforcementConfig": {"restrictionMode": "string"},
                   "customerSuppliedEncryptionEnforcementConfig": {"restrictionMode": "string"},
                   "googleManagedEncryptionEnforcementConfig": {"restrictionMode": "string"}},
    "hierarchicalNamespace": {"enabled": "boolean"},
    "iamConfiguration": {"uniformBucketLevelAccess": {"enabled": "boolean"}, "bucketPolicyOnly": {"enabled": "boolean"},
                         "publicAccessPrevention": "string"},
    "ipFilter": {"mode": "string"},
    "labels": {"*": "string"},
    "lifecycle": {"rule": [{
      "action": {"type": "string", "storageClass": "string"},
      "condition": {"age": "integer", "createdBefore": "string", "customTimeBefore": "string",
                    "daysSinceCustomTime": "integer", "daysSinceNoncurrentTime": "integer", "isLive": "boolean",
                    "matchesPrefix": ["string"], "matchesStorageClass": ["string"], "matchesSuffix": ["string"],
                    "noncurrentTimeBefore": "string", "numNewerVersions": "integer", "sizeAboveBytes": "int64",
                    "sizeBelowBytes": "int64"}}]},
    "logging": {"logBucket": "string", "logObjectPrefix": "string"},
    "retentionPolicy": {"retentionPeriod": "int64"},
    "rpo": "string",
    "softDeletePolicy": {"retentionDurationSeconds": "int64", "hardDeletePause": {"enabled": "boolean"}},
    "storageClass": "string",
    "versioning": {"enabled": "boolean"},
    "website": {"mainPageSuffix": "string", "notFoundPage": "string"}
  })");
  return kShapes;
}

constexpr std::int64_t kDay = 86'400;

tl::unexpected<Failure> Invalid(const std::string& field) {
  return Fail(FailureKind::kInvalid, "Invalid value for field '" + field + "'.");
}

ApiResult<Json> ParseJsonObject(std::string_view text) {
  Json parsed = ParseBoundedJson(text);
  if (!parsed.is_object()) {
    return tl::unexpected(NotJsonObject(text));
  }
  return parsed;
}

// https://cloud.google.com/storage/docs/soft-delete: off, or 7 to 90 days.
Outcome<void> SetSoftDelete(const Json& policy, BucketInfo& info) {
  const auto seconds = policy.find("retentionDurationSeconds");
  const std::int64_t retention = seconds != policy.end() ? ToInt64(*seconds).value_or(-1) : 0;
  if (retention != 0 && (retention < 7 * kDay || retention > 90 * kDay)) {
    return Invalid("softDeletePolicy.retentionDurationSeconds");
  }
  if (info.soft_delete && info.soft_delete->retention.count() == retention) return {};
  info.soft_delete = SoftDeletePolicy{std::chrono::seconds(retention), info.updated};
  return {};
}

// An empty setting is one that is not set: {"rule": []} ends a bucket's lifecycle.
bool IsEmpty(const Json& setting) {
  if (setting.is_null()) return true;
  if (!setting.is_structured()) return false;
  return std::all_of(setting.begin(), setting.end(),
                     [](const Json& member) { return member.is_structured() && member.empty(); });
}

// Gives the bucket these `settings`. Storage class and soft delete change only if `settings` contains them.
Outcome<void> Assign(Json settings, BucketInfo& info) {
  if (const auto misfit = FindMisfit(settings, SettingShapes())) return Invalid(*misfit);
  if (const auto found = settings.find("storageClass"); found != settings.end()) {
    info.storage_class = found->get<std::string>();
    if (!IsStorageClass(info.storage_class)) return Invalid("storageClass");
    settings.erase(found);
  }
  if (const auto found = settings.find("softDeletePolicy"); found != settings.end()) {
    if (auto set = SetSoftDelete(*found, info); !set) return set;
    settings.erase(found);
  }
  if (const auto found = settings.find("lifecycle"); found != settings.end()) {
    if (const auto rules = ParseLifecycle(*found); !rules) return tl::unexpected(rules.error());
  }
  if (auto settled = SettleRetention(settings, info); !settled) return settled;
  if (auto settled = SettleAccess(settings, info); !settled) return settled;
  if (auto settled = SettleAutoclass(settings, info); !settled) return settled;
  if (auto settled = SettleNamespace(settings, info); !settled) return settled;
  info.is_versioned = settings.contains("versioning") && settings["versioning"].value("enabled", false);
  std::erase_if(info.settings, [](const auto& known) { return SettingShapes().contains(known.first); });
  for (const auto& [name, setting] : settings.items()) {
    // A list that allows nothing is not the list of a bucket that has none.
    const bool is_list = name == "acl" || name == "defaultObjectAcl";
    if (is_list ? setting.is_array() : !IsEmpty(setting)) info.settings.emplace(name, setting.dump());
  }
  return {};
}

// The members of a client's resource that can be set.
Json OnlySettings(const Json& resource) {
  Json settings = Json::object();
  for (const auto& [name, shape] : SettingShapes().items()) {
    if (const auto found = resource.find(name); found != resource.end()) settings[name] = *found;
  }
  return settings;
}

Json WithoutNulls(const Json& settings) {
  Json kept = Json::object();
  kept.merge_patch(settings);
  return kept;
}

}  // namespace

ApiResult<BucketInfo> ParseBucketResource(std::string_view text, Time now) {
  const ApiResult<Json> parsed = ParseJsonObject(text);
  if (!parsed) return tl::unexpected(parsed.error());
  BucketInfo info{.updated = now};
  const Json named = WithoutNulls(*parsed);
  if (const auto misfit = FindMisfit(named, {{"name", "string"}, {"location", "string"}})) {
    return tl::unexpected(ToApiError(Invalid(*misfit).value()));
  }
  if (auto served = RefuseUnserved(OnlySettings(named)); !served) return tl::unexpected(served.error());
  info.name = named.value("name", "");
  if (info.name.empty()) return tl::unexpected(MissingParameter("name"));
  info.location = named.value("location", info.location);
  std::transform(info.location.begin(), info.location.end(), info.location.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  if (auto assigned = Assign(OnlySettings(named), info); !assigned) {
    return tl::unexpected(ToApiError(assigned.error()));
  }
  if (auto fit = CheckGivenAcls(named, info); !fit) return tl::unexpected(ToApiError(fit.error()));
  return info;
}

ApiResult<BucketInfoChange> ParseBucketPatch(std::string_view text) {
  ApiResult<Json> parsed = ParseJsonObject(text);
  if (!parsed) return tl::unexpected(parsed.error());
  Json patch = OnlySettings(*parsed);
  if (auto served = RefuseUnserved(patch); !served) return tl::unexpected(served.error());
  return [patch = std::move(patch)](BucketInfo& info) -> Outcome<void> {
    Json settings = Json::object();
    for (const auto& [name, setting] : info.settings) settings[name] = Json::parse(setting);
    settings.merge_patch(patch);
    // These two are never absent: null sets them to the defaults.
    if (const auto named = patch.find("storageClass"); named != patch.end() && named->is_null()) {
      settings["storageClass"] = BucketInfo().storage_class;
    }
    if (const auto named = patch.find("softDeletePolicy"); named != patch.end() && named->is_null()) {
      settings["softDeletePolicy"] = Json::object();
    }
    const auto assigned = Assign(std::move(settings), info);
    return assigned ? CheckGivenAcls(patch, info) : assigned;
  };
}

ApiResult<BucketInfoChange> ParseBucketUpdate(std::string_view text) {
  ApiResult<Json> parsed = ParseJsonObject(text);
  if (!parsed) return tl::unexpected(parsed.error());
  Json given = WithoutNulls(OnlySettings(*parsed));
  if (auto served = RefuseUnserved(given); !served) return tl::unexpected(served.error());
  return [given = std::move(given)](BucketInfo& info) {
    Json settings = given;
    for (const char* name : {"acl", "defaultObjectAcl"}) {
      const auto known = info.settings.find(name);
      if (known != info.settings.end() && !given.contains(name)) settings[name] = Json::parse(known->second);
    }
    const auto assigned = Assign(std::move(settings), info);
    return assigned ? CheckGivenAcls(given, info) : assigned;
  };
}

}  // namespace gcsflux::emulator
