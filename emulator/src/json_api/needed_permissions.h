#pragma once

#include "identity/permissions.h"
#include "json_api/router.h"

namespace gcsflux::emulator {

/// What somebody must be allowed to do to have an operation done.
struct NeededPermissions {
  PermissionSet on_project = {};
  PermissionSet on_bucket = {};  ///< The bucket of the route, which is the one that is written to.
  /// Where there is an object of the route's name already, storage.objects.delete too. What names its object elsewhere
  /// asks for itself: RequireReplace.
  bool replaces_object = false;
};

/// https://cloud.google.com/storage/docs/access-control/iam-json
///
/// A switch over all operations and no default: the compiler refuses an operation that has no entry.
NeededPermissions PermissionsFor(Operation operation);

}  // namespace gcsflux::emulator
