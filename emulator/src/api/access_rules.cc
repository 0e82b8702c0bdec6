#include "api/access_rules.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "api/access_control_list.h"
#include "api/iam_policy.h"
#include "identity/iam_roles.h"

namespace gcsflux::emulator {
namespace {

using Json = nlohmann::json;
using OptionalPrincipal = std::optional<Principal>;

bool IsAnyOf(std::string_view who, std::string_view name, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](std::string_view prefix) {
    return who.starts_with(prefix) && who.substr(prefix.size()) == name;
  });
}

bool IsInDomain(std::string_view email, std::string_view domain) {
  const std::size_t at = email.find('@');
  return at != std::string_view::npos && email.substr(at + 1) == domain;
}

// `who` is a member of a policy or an entity of a list. Groups and the project's teams have no members here.
bool Includes(std::string_view who, const OptionalPrincipal& principal, bool prevents_public) {
  if (IsPublic(who)) return !prevents_public && (who == "allUsers" || principal);
  if (!principal) return false;
  if (who == principal->name || IsAnyOf(who, principal->name, {"user:", "serviceAccount:", "user-"})) return true;
  return (who.starts_with("domain:") || who.starts_with("domain-")) && IsInDomain(principal->name, who.substr(7));
}

PermissionSet GrantedByPolicy(const BucketInfo& info, const OptionalPrincipal& principal) {
  const bool prevents_public = PreventsPublicAccess(info);
  PermissionSet granted;
  for (const Json& binding : BindingsOf(info)) {
    if (binding.contains("condition")) continue;
    for (const Json& member : binding.at("members")) {
      if (!Includes(member.get<std::string>(), principal, prevents_public)) continue;
      granted |= PermissionsOfIamRole(binding.at("role").get<std::string>()).value_or(PermissionSet());
    }
  }
  return granted;
}

PermissionSet GrantedByAcl(const BucketInfo& info, const Object& object, const OptionalPrincipal& principal) {
  const bool prevents_public = PreventsPublicAccess(info);
  PermissionSet granted;
  for (const AccessControl& entry : ObjectAcl(*object.attributes)) {
    if (!Includes(entry.entity, principal, prevents_public)) continue;
    const bool is_owner = entry.role == "OWNER";
    granted |= *PermissionsOfIamRole(is_owner ? "roles/storage.legacyObjectOwner" : "roles/storage.legacyObjectReader");
  }
  return granted;
}

}  // namespace

PermissionSet AccessRules::PermissionsOn(const ObjectPlace& place, const OptionalPrincipal& principal) const {
  PermissionSet granted = identity_.PermissionsOn(place.bucket, principal);
  const auto bucket = store_.FindBucket(place.bucket);
  if (!bucket) return granted;
  const BucketInfoPtr info = (*bucket)->info();
  granted |= GrantedByPolicy(*info, principal);
  if (place.object.empty() || HasUniformAccess(*info)) return granted;
  const auto object = (*bucket)->GetObject({.name = std::string(place.object), .generation = place.generation});
  if (object) granted |= GrantedByAcl(*info, **object, principal);
  return granted;
}

}  // namespace gcsflux::emulator
