#include "api/iam_policy.h"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "api/access_control_list.h"
#include "identity/iam_roles.h"

namespace gcsflux::emulator {
namespace {

using Json = nlohmann::json;

constexpr auto kName = "iam";

struct LegacyRole {
  const char* acl;
  const char* iam;
};
constexpr std::array<LegacyRole, 3> kLegacyRoles = {{{"OWNER", "roles/storage.legacyBucketOwner"},
                                                     {"WRITER", "roles/storage.legacyBucketWriter"},
                                                     {"READER", "roles/storage.legacyBucketReader"}}};

struct MemberForm {
  std::string_view entity;  // of an access control list
  std::string_view member;  // of a policy
};
constexpr std::array<MemberForm, 6> kForms = {{{"project-owners-", "projectOwner:"},
                                               {"project-editors-", "projectEditor:"},
                                               {"project-viewers-", "projectViewer:"},
                                               {"user-", "user:"},
                                               {"group-", "group:"},
                                               {"domain-", "domain:"}}};

bool IsServiceAccount(std::string_view email) { return email.ends_with(".gserviceaccount.com"); }

std::string MemberOf(std::string_view entity) {
  for (const MemberForm& form : kForms) {
    if (!entity.starts_with(form.entity)) continue;
    const std::string_view rest = entity.substr(form.entity.size());
    const bool is_machine = form.member == "user:" && IsServiceAccount(rest);
    return std::string(is_machine ? "serviceAccount:" : form.member) + std::string(rest);
  }
  return std::string(entity);
}

std::optional<std::string> EntityOf(std::string_view member) {
  if (IsPublic(member)) return std::string(member);
  constexpr std::string_view kMachine = "serviceAccount:";
  if (member.starts_with(kMachine)) return "user-" + std::string(member.substr(kMachine.size()));
  for (const MemberForm& form : kForms) {
    if (member.starts_with(form.member)) {
      return std::string(form.entity) + std::string(member.substr(form.member.size()));
    }
  }
  return std::nullopt;
}

const LegacyRole* FindLegacyRole(std::string_view iam) {
  const auto found =
      std::find_if(kLegacyRoles.begin(), kLegacyRoles.end(), [&](const LegacyRole& role) { return role.iam == iam; });
  return found != kLegacyRoles.end() ? &*found : nullptr;
}

bool IsMember(std::string_view member) {
  constexpr std::string_view kPrincipals = "principal";  // principal://..., principalSet://...
  if (member.starts_with(kPrincipals) && member.find("://") != std::string_view::npos) return true;
  if (member.starts_with("deleted:")) return true;
  const std::optional<std::string> entity = EntityOf(member);
  return entity && !member.ends_with(':');
}

ApiResult<void> CheckMember(const BucketInfo& bucket, const std::string& member) {
  if (!IsMember(member)) return tl::unexpected(BadRequest("Invalid member: " + member));
  if (!IsPublic(member)) return {};
  return CheckPublicAccess(bucket, {{member, "READER"}});
}

ApiResult<void> CheckBinding(const BucketInfo& bucket, const Json& binding) {
  const std::string role = binding.value("role", "");
  if (!PermissionsOfIamRole(role)) {
    return tl::unexpected(BadRequest("Role " + role + " is not supported for this resource."));
  }
  for (const Json& member : binding.value("members", Json::array())) {
    if (auto checked = CheckMember(bucket, member.get<std::string>()); !checked) return checked;
  }
  if (!binding.contains("condition")) return {};
  if (!HasUniformAccess(bucket) || FindLegacyRole(role) != nullptr) {
    return tl::unexpected(
        BadRequest("A condition needs uniform bucket-level access, and a role that is not a legacy one."));
  }
  if (binding["condition"].value("expression", "").empty() || binding["condition"].value("title", "").empty()) {
    return tl::unexpected(BadRequest("A condition needs a title and an expression."));
  }
  return {};
}

}  // namespace

Json BindingsOf(const BucketInfo& bucket) {
  Json bindings = Json::array();
  const AccessControlList acl = BucketAcl(bucket, AclKind::kBucket);
  for (const LegacyRole& role : kLegacyRoles) {
    Json members = Json::array();
    for (const AccessControl& entry : acl) {
      if (entry.role == role.acl) members.push_back(MemberOf(entry.entity));
    }
    if (!members.empty()) bindings.push_back({{"role", role.iam}, {"members", std::move(members)}});
  }
  const auto found = bucket.sub_resources.find(kName);
  if (found == bucket.sub_resources.end()) return bindings;
  for (Json& binding : Json::parse(found->second)) bindings.push_back(std::move(binding));
  return bindings;
}

void SetBindings(BucketInfo& bucket, const Json& bindings) {
  Json others = Json::array();
  std::map<std::string, std::size_t> ranks;  // of entities: the most that they may do
  for (const Json& binding : bindings) {
    const LegacyRole* role = FindLegacyRole(binding.value("role", ""));
    if (role == nullptr) {
      if (!binding.value("members", Json::array()).empty()) others.push_back(binding);
      continue;
    }
    const auto rank = static_cast<std::size_t>(role - kLegacyRoles.data());
    for (const Json& member : binding.value("members", Json::array())) {
      const std::optional<std::string> entity = EntityOf(member.get<std::string>());
      if (!entity) continue;
      const auto [at, is_new] = ranks.emplace(*entity, rank);
      at->second = std::min(at->second, rank);
    }
  }
  AccessControlList acl;
  for (const auto& [entity, rank] : ranks) acl.push_back({entity, kLegacyRoles.at(rank).acl});
  bucket.settings["acl"] = EncodeAcl(acl);
  if (others.empty()) {
    bucket.sub_resources.erase(kName);
  } else {
    bucket.sub_resources[kName] = others.dump();
  }
}

ApiResult<void> CheckBindings(const BucketInfo& bucket, const Json& bindings) {
  for (const Json& binding : bindings) {
    if (auto checked = CheckBinding(bucket, binding); !checked) return checked;
  }
  return {};
}

bool HasConditions(const Json& bindings) {
  return std::any_of(bindings.begin(), bindings.end(),
                     [](const Json& binding) { return binding.contains("condition"); });
}

}  // namespace gcsflux::emulator
