#pragma once

#include <optional>
#include <string_view>

#include "identity/permissions.h"

namespace gcsflux::emulator {

/// The permissions of "roles/storage.objectViewer" and its like, of those that are known here. Nothing if a bucket's
/// policy cannot have such a role: https://cloud.google.com/storage/docs/access-control/iam-roles
std::optional<PermissionSet> PermissionsOfIamRole(std::string_view role);

}  // namespace gcsflux::emulator
