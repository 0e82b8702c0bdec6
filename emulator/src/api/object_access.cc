#include "api/object_access.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "api/access_control_list.h"

namespace gcsflux::emulator {
namespace {

// Whether the list gives access to others than the owner and the project.
bool GivesAccess(const AccessControlList& acl, const std::string& owner) {
  return std::any_of(acl.begin(), acl.end(), [&](const AccessControl& entry) {
    return entry.entity != owner && !entry.entity.starts_with("project-");
  });
}

}  // namespace

ApiResult<void> SettleObjectAcl(const Caller& caller, const BucketInfo& bucket, std::string_view predefined,
                                bool gives_acl, ObjectAttributes& attributes) {
  if (predefined.empty() && !gives_acl) return {};
  if (auto usable = CheckMayUseAcls(bucket); !usable) return usable;
  const std::string owner = OwnerOf(attributes);
  if (!predefined.empty()) {
    const ApiResult<AccessControlList> acl = PredefinedAcl(predefined, AclKind::kObject, owner);
    if (!acl) return tl::unexpected(acl.error());
    attributes.settings["acl"] = EncodeAcl(*acl);
  }
  const AccessControlList acl = ObjectAcl(attributes);
  if (auto may = CheckPublicAccess(bucket, acl); !may) return may;
  if (!GivesAccess(acl, owner)) return {};
  return caller.Require(Permission::kObjectsSetIamPolicy, bucket.name);
}

ApiResult<void> SettleNewObjectAcl(const Caller& caller, const BucketInfo& bucket, std::string_view predefined,
                                   ObjectAttributes& attributes) {
  if (caller.principal() && !HasUniformAccess(bucket)) {
    attributes.settings["owner"] = nlohmann::json(caller.entity()).dump();
  }
  return SettleObjectAcl(caller, bucket, predefined, attributes.settings.contains("acl"), attributes);
}

}  // namespace gcsflux::emulator
