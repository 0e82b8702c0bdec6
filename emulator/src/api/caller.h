#pragma once

#include <optional>
#include <string_view>

#include "http/api_error.h"
#include "identity/identity.h"
#include "identity/permissions.h"

namespace gcsflux::emulator {

/// Who sends a request, and what they may do. A cheap value; the identity must outlive it.
class Caller {
 public:
  /// Somebody on an emulator that asks nobody who they are: may do everything.
  Caller() = default;
  /// Nothing is somebody without credentials.
  Caller(const Identity& identity, std::optional<Principal> principal)
      : identity_(&identity), principal_(std::move(principal)) {}

  [[nodiscard]] bool is_checked() const { return identity_ != nullptr; }
  [[nodiscard]] const std::optional<Principal>& principal() const { return principal_; }

  /// In a bucket; "" is the project.
  [[nodiscard]] bool May(Permission permission, std::string_view bucket) const;
  /// Whether they may put an object in the place of another one of its name.
  [[nodiscard]] bool MayReplace(std::string_view bucket) const { return May(Permission::kObjectsDelete, bucket); }
  /// As May(), refused in GCS's words: 401 to whom has not said who they are, 403 to others.
  [[nodiscard]] ApiResult<void> Require(Permission permission, std::string_view bucket) const;

 private:
  const Identity* identity_ = nullptr;
  std::optional<Principal> principal_ = {};
};

}  // namespace gcsflux::emulator
