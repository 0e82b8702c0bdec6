#include "json_api/bucket_json.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "api/access_control_list.h"
#include "base/base64.h"
#include "base/time_format.h"
#include "json_api/access_control_json.h"
#include "json_api/masked_json.h"

namespace gcsflux::emulator {
namespace {

using OrderedJson = nlohmann::ordered_json;

// https://cloud.google.com/storage/docs/locations
std::string_view LocationType(const BucketInfo& bucket) {
  static constexpr std::array<std::string_view, 3> kMultiRegions = {"ASIA", "EU", "US"};
  static constexpr std::array<std::string_view, 6> kDualRegions = {"ASIA1", "EUR4", "EUR5", "EUR7", "EUR8", "NAM4"};
  const auto is_in = [&](const auto& names) {
    return std::find(names.begin(), names.end(), bucket.location) != names.end();
  };
  if (is_in(kDualRegions) || bucket.settings.count("customPlacementConfig") != 0) return "dual-region";
  return is_in(kMultiRegions) ? "multi-region" : "region";
}

OrderedJson SoftDeleteResource(const BucketInfo& bucket) {
  const SoftDeletePolicy policy = bucket.soft_delete.value_or(SoftDeletePolicy());
  OrderedJson resource = {{"retentionDurationSeconds", std::to_string(policy.retention.count())}};
  if (policy.retention.count() != 0) resource["effectiveTime"] = FormatRfc3339(policy.effective);
  return resource;
}

// The fields that every bucket has, set or not.
OrderedJson DefaultSettings(std::string_view location_type) {
  OrderedJson settings = OrderedJson::parse(R"({"iamConfiguration": {"bucketPolicyOnly": {"enabled": false},
                                                       "uniformBucketLevelAccess": {"enabled": false},
                                                       "publicAccessPrevention": "inherited"}})");
  if (location_type != "region") settings["rpo"] = "DEFAULT";
  return settings;
}

void ShowAcls(OrderedJson& resource, const BucketView& view, const BucketInfo& bucket) {
  resource["owner"] = {{"entity", "project-owners-0"}};
  AclOwner owner{.kind = AclKind::kBucket, .bucket = bucket.name, .base_url = std::string(view.base_url)};
  owner.etag = BucketEtag(bucket);
  for (const auto& [name, kind] :
       {std::pair("acl", AclKind::kBucket), std::pair("defaultObjectAcl", AclKind::kDefaultObject)}) {
    owner.kind = kind;
    resource[name] = OrderedJson::array();
    for (const AccessControl& entry : BucketAcl(bucket, kind)) {
      resource[name].push_back(AccessControlResource(owner, entry));
    }
  }
}

OrderedJson Resource(const BucketView& view, const BucketInfo& bucket) {
  const std::string_view location_type = LocationType(bucket);
  OrderedJson resource = {{"kind", "storage#bucket"},
                          {"id", bucket.name},
                          {"selfLink", std::string(view.base_url) + "/storage/v1/b/" + bucket.name},
                          {"name", bucket.name},
                          {"projectNumber", "0"},
                          {"generation", std::to_string(bucket.generation)},
                          {"metageneration", std::to_string(bucket.metageneration)},
                          {"location", bucket.location},
                          {"locationType", location_type},
                          {"storageClass", bucket.storage_class},
                          {"etag", BucketEtag(bucket)},
                          {"timeCreated", FormatRfc3339(bucket.time_created)},
                          {"updated", FormatRfc3339(bucket.updated)},
                          {"softDeletePolicy", SoftDeleteResource(bucket)}};
  if (bucket.soft_deletion) {
    resource["softDeleteTime"] = FormatRfc3339(bucket.soft_deletion->deleted);
    resource["hardDeleteTime"] = FormatRfc3339(bucket.soft_deletion->hard_delete);
  }
  OrderedJson settings = DefaultSettings(location_type);
  for (const auto& [name, setting] : bucket.settings) settings.merge_patch({{name, OrderedJson::parse(setting)}});
  resource.update(settings);
  resource.erase("acl");
  resource.erase("defaultObjectAcl");
  if (view.shows_acl && !HasUniformAccess(bucket)) ShowAcls(resource, view, bucket);
  return resource;
}

}  // namespace

std::string BucketEtag(const BucketInfo& bucket) { return EncodeBase64(std::to_string(bucket.metageneration)); }

void WriteStorageLayout(JsonWriter& json, const FieldMask& fields, const BucketInfo& bucket) {
  OrderedJson layout = {{"kind", "storage#storageLayout"},
                        {"bucket", bucket.name},
                        {"location", bucket.location},
                        {"locationType", LocationType(bucket)},
                        {"hierarchicalNamespace", {{"enabled", HasHierarchicalNamespace(bucket)}}}};
  if (const auto found = bucket.settings.find("customPlacementConfig"); found != bucket.settings.end()) {
    layout["customPlacementConfig"] = OrderedJson::parse(found->second);
  }
  json.Raw(Masked(layout, fields).dump());
}

void WriteBucket(JsonWriter& json, const BucketView& view, const BucketInfo& bucket) {
  json.Raw(Masked(Resource(view, bucket), view.fields).dump());
}

}  // namespace gcsflux::emulator
