#pragma once

#include "json_api/router.h"
#include "operations/needed_permissions.h"

namespace gcsflux::emulator {

/// https://cloud.google.com/storage/docs/access-control/iam-json
///
/// A switch over all operations and no default: the compiler refuses an operation that has no entry.
NeededPermissions PermissionsFor(Operation operation);

}  // namespace gcsflux::emulator
