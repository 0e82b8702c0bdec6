#pragma once

#include <optional>

#include "api/object_place.h"
#include "identity/identity.h"
#include "identity/permissions.h"
#include "store/buckets/store.h"

namespace gcsflux::emulator {

/// Decides what a caller may do. No other place does, in any API. It joins the roles of the configuration, the bucket's
/// IAM policy, and the access control lists of the bucket and the object. Thread-safe.
class AccessRules {
 public:
  /// Both must outlive it.
  AccessRules(const Identity& identity, const Store& store) : identity_(identity), store_(store) {}

  /// Nothing as principal stands for a caller without credentials. Scopes are ignored. A binding with a condition
  /// grants nothing.
  [[nodiscard]] PermissionSet PermissionsOn(const ObjectPlace& place, const std::optional<Principal>& principal) const;

 private:
  const Identity& identity_;
  const Store& store_;
};

}  // namespace gcsflux::emulator
