#include "json_api/bucket_json.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/time_format.h"

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

// An access control list has no users to name here: one entry stands for the project.
void ShowAcl(OrderedJson& resource) {
  const OrderedJson owner = {{"entity", "project-owners-0"}, {"role", "OWNER"}};
  resource["owner"] = {{"entity", "project-owners-0"}};
  if (!resource.contains("acl")) resource["acl"] = OrderedJson::array({owner});
  if (!resource.contains("defaultObjectAcl")) resource["defaultObjectAcl"] = OrderedJson::array({owner});
}

OrderedJson Resource(const BucketView& view, const BucketInfo& bucket) {
  const std::string_view location_type = LocationType(bucket);
  OrderedJson resource = {{"kind", "storage#bucket"},
                          {"id", bucket.name},
                          {"selfLink", std::string(view.base_url) + "/storage/v1/b/" + bucket.name},
                          {"name", bucket.name},
                          {"projectNumber", "0"},
                          {"metageneration", std::to_string(bucket.metageneration)},
                          {"location", bucket.location},
                          {"locationType", location_type},
                          {"storageClass", bucket.storage_class},
                          {"etag", EncodeBase64(std::to_string(bucket.metageneration))},
                          {"timeCreated", FormatRfc3339(bucket.time_created)},
                          {"updated", FormatRfc3339(bucket.updated)},
                          {"softDeletePolicy", SoftDeleteResource(bucket)}};
  OrderedJson settings = DefaultSettings(location_type);
  for (const auto& [name, setting] : bucket.settings) settings.merge_patch({{name, OrderedJson::parse(setting)}});
  resource.update(settings);
  if (view.shows_acl) {
    ShowAcl(resource);
  } else {
    resource.erase("acl");
    resource.erase("defaultObjectAcl");
  }
  return resource;
}

// The part of `value` that the client asked for. A list's elements share the list's mask.
OrderedJson Masked(const OrderedJson& value, const FieldMask& fields) {
  if (value.is_array()) {
    OrderedJson kept = OrderedJson::array();
    for (const OrderedJson& element : value) kept.push_back(Masked(element, fields));
    return kept;
  }
  if (!value.is_object()) return value;
  OrderedJson kept = OrderedJson::object();
  for (const auto& [name, member] : value.items()) {
    if (fields.Includes(name)) kept[name] = Masked(member, fields.Inside(name));
  }
  return kept;
}

}  // namespace

bool HasHierarchicalNamespace(const BucketInfo& bucket) {
  const auto found = bucket.settings.find("hierarchicalNamespace");
  return found != bucket.settings.end() && OrderedJson::parse(found->second).value("enabled", false);
}

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
