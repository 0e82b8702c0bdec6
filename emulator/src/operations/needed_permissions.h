#pragma once

#include "identity/permissions.h"

namespace gcsflux::emulator {

/// What somebody must be allowed to do to have an operation done.
struct NeededPermissions {
  PermissionSet on_project = {};
  PermissionSet on_bucket = {};  ///< The bucket of the route, which is the one that is written to.
  /// Where there is an object of the route's name already, storage.objects.delete too. What names its object elsewhere
  /// asks for itself: RequireReplace.
  bool replaces_object = false;
};

}  // namespace gcsflux::emulator
