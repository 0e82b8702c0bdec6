#pragma once

#include "identity/permissions.h"

namespace gcsflux::emulator {

/// The permissions that a caller needs for an operation.
struct NeededPermissions {
  PermissionSet on_project = {};
  PermissionSet on_bucket = {};  ///< The bucket of the route: the one that is written to.
  PermissionSet on_object = {};  ///< The object of the route, of the generation that the request names.
  /// If an object has the route's name already, storage.objects.delete is needed too. An endpoint that learns the
  /// object's name elsewhere asks for this itself: RequireReplace.
  bool replaces_object = false;
};

}  // namespace gcsflux::emulator
