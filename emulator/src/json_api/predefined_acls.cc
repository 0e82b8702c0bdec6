#include "json_api/predefined_acls.h"

#include <string>
#include <tuple>

#include "api/access_control_list.h"

namespace gcsflux::emulator {

Outcome<void> ApplyPredefinedAcls(const QueryParameters& query, BucketInfo& info) {
  for (const auto& [parameter, setting, kind] :
       {std::tuple("predefinedAcl", "acl", AclKind::kBucket),
        std::tuple("predefinedDefaultObjectAcl", "defaultObjectAcl", AclKind::kDefaultObject)}) {
    const std::string name = query.Value(parameter);
    if (name.empty()) continue;
    if (auto usable = CheckMayUseAcls(info); !usable) return Fail(FailureKind::kInvalid, usable.error().message);
    const ApiResult<AccessControlList> acl = PredefinedAcl(name, kind, OwnerOf({}));
    if (!acl) return Fail(FailureKind::kInvalid, acl.error().message);
    if (auto may = CheckPublicAccess(info, *acl); !may) {
      return Fail(FailureKind::kPreconditionFailed, may.error().message);
    }
    info.settings[setting] = EncodeAcl(*acl);
  }
  return {};
}

}  // namespace gcsflux::emulator
