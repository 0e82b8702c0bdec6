#include "api/access_control_list.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <nlohmann/json.hpp>

namespace gcsflux::emulator {
namespace {

using Json = nlohmann::json;

// There is one project, whose number is 0.
constexpr auto kOwners = "project-owners-0";
constexpr auto kEditors = "project-editors-0";
constexpr auto kViewers = "project-viewers-0";

const AccessControlList& ProjectPrivate() {
  static const AccessControlList kAcl = {{kOwners, "OWNER"}, {kEditors, "OWNER"}, {kViewers, "READER"}};
  return kAcl;
}

Json ReadSetting(const BucketInfo& bucket, const char* name) {
  const auto found = bucket.settings.find(name);
  return found != bucket.settings.end() ? Json::parse(found->second) : Json();
}

AccessControlList ReadAcl(const std::map<std::string, std::string>& settings, const char* name) {
  const auto found = settings.find(name);
  return found != settings.end() ? DecodeAcl(found->second) : ProjectPrivate();
}

bool HasText(std::string_view text, std::string_view prefix) {
  return text.starts_with(prefix) && text.size() > prefix.size();
}

bool IsEntity(std::string_view entity) {
  constexpr std::array<std::string_view, 6> kPrefixes = {"user-",           "group-",           "domain-",
                                                         "project-owners-", "project-editors-", "project-viewers-"};
  return IsPublic(entity) || std::any_of(kPrefixes.begin(), kPrefixes.end(),
                                         [&](std::string_view prefix) { return HasText(entity, prefix); });
}

}  // namespace

std::string EncodeAcl(const AccessControlList& acl) {
  Json list = Json::array();
  for (const AccessControl& entry : acl) list.push_back({{"entity", entry.entity}, {"role", entry.role}});
  return list.dump();
}

AccessControlList DecodeAcl(std::string_view text) {
  AccessControlList acl;
  for (const Json& entry : Json::parse(text)) acl.push_back({entry.at("entity"), entry.at("role")});
  return acl;
}

AccessControlList BucketAcl(const BucketInfo& bucket, AclKind kind) {
  return ReadAcl(bucket.settings, kind == AclKind::kBucket ? "acl" : "defaultObjectAcl");
}

AccessControlList ObjectAcl(const ObjectAttributes& object) {
  AccessControlList acl = ReadAcl(object.settings, "acl");
  SetEntry(acl, {OwnerOf(object), "OWNER"});  // an owner cannot be removed
  return acl;
}

std::string OwnerOf(const ObjectAttributes& attributes) {
  const auto found = attributes.settings.find("owner");
  return found != attributes.settings.end() ? Json::parse(found->second).get<std::string>() : kOwners;
}

ApiResult<AccessControlList> PredefinedAcl(std::string_view name, AclKind kind, const std::string& owner) {
  const bool is_of_bucket = kind == AclKind::kBucket;
  AccessControlList acl;
  // The owner of a new object is added to its list wherever it is read.
  if (is_of_bucket || kind == AclKind::kObject) acl.push_back({is_of_bucket ? kOwners : owner, "OWNER"});
  if (name == "private") return acl;
  if (name == "projectPrivate") return ProjectPrivate();
  if (name == "publicRead") {
    SetEntry(acl, {"allUsers", "READER"});
  } else if (name == "authenticatedRead") {
    SetEntry(acl, {"allAuthenticatedUsers", "READER"});
  } else if (name == "publicReadWrite" && is_of_bucket) {
    SetEntry(acl, {"allUsers", "WRITER"});
  } else if (name == "bucketOwnerRead" && !is_of_bucket) {
    SetEntry(acl, {kOwners, owner == kOwners ? "OWNER" : "READER"});
  } else if (name == "bucketOwnerFullControl" && !is_of_bucket) {
    SetEntry(acl, {kOwners, "OWNER"});
  } else {
    return tl::unexpected(BadParameter("Invalid predefined ACL: '" + std::string(name) + "'."));
  }
  return acl;
}

ApiResult<void> CheckAccessControl(const AccessControl& entry, AclKind kind) {
  if (entry.entity.empty()) return tl::unexpected(MissingParameter("entity"));
  if (entry.role.empty()) return tl::unexpected(MissingParameter("role"));
  if (!IsEntity(entry.entity)) return tl::unexpected(BadRequest("Unknown or invalid entity: " + entry.entity));
  const bool is_known =
      entry.role == "OWNER" || entry.role == "READER" || (entry.role == "WRITER" && kind == AclKind::kBucket);
  return is_known ? ApiResult<void>() : tl::unexpected(BadRequest("Invalid argument for role: " + entry.role));
}

ApiResult<std::optional<AccessControlList>> ReadAclMember(const Json& resource, AclKind kind) {
  const char* name = kind == AclKind::kDefaultObject ? "defaultObjectAcl" : "acl";
  const auto found = resource.find(name);
  if (found == resource.end() || found->is_null()) return std::nullopt;
  const auto invalid = [&] {
    return tl::unexpected(BadRequest("Invalid value for field '" + std::string(name) + "'."));
  };
  if (!found->is_array()) return invalid();
  AccessControlList acl;
  for (const auto& item : *found) {
    const bool has_types =
        item.is_object() && item.value("entity", Json("")).is_string() && item.value("role", Json("")).is_string();
    if (!has_types) return invalid();
    const AccessControl entry = {item.value("entity", ""), item.value("role", "")};
    if (auto checked = CheckAccessControl(entry, kind); !checked) return tl::unexpected(checked.error());
    SetEntry(acl, entry);
  }
  return acl;
}

void SetEntry(AccessControlList& acl, const AccessControl& entry) {
  const auto same =
      std::find_if(acl.begin(), acl.end(), [&](const AccessControl& other) { return other.entity == entry.entity; });
  if (same != acl.end()) {
    same->role = entry.role;
  } else {
    acl.push_back(entry);
  }
}

bool HasUniformAccess(const BucketInfo& bucket) {
  const Json access = ReadSetting(bucket, "iamConfiguration");
  if (!access.is_object() || !access.contains("uniformBucketLevelAccess")) return false;
  return access["uniformBucketLevelAccess"].value("enabled", false);
}

bool PreventsPublicAccess(const BucketInfo& bucket) {
  const Json access = ReadSetting(bucket, "iamConfiguration");
  return access.is_object() && access.value("publicAccessPrevention", "") == "enforced";
}

ApiResult<void> CheckMayUseAcls(const BucketInfo& bucket) {
  if (!HasUniformAccess(bucket)) return {};
  return tl::unexpected(
      BadRequest("Cannot use ACL API to update bucket policy when uniform bucket-level access is enabled. Read more at "
                 "https://cloud.google.com/storage/docs/uniform-bucket-level-access"));
}

ApiResult<void> CheckPublicAccess(const BucketInfo& bucket, const AccessControlList& acl) {
  const bool is_public =
      std::any_of(acl.begin(), acl.end(), [](const AccessControl& entry) { return IsPublic(entry.entity); });
  if (!is_public || !PreventsPublicAccess(bucket)) return {};
  return tl::unexpected(ApiError{412, "conditionNotMet",
                                 "The member bindings allUsers and allAuthenticatedUsers are not allowed since public "
                                 "access prevention is enforced."});
}

}  // namespace gcsflux::emulator
