#pragma once

#include <optional>
#include <string_view>

#include "http/api_error.h"
#include "identity/identity.h"
#include "identity/permissions.h"

namespace gcsflux::emulator {

/// Who sends a request, and what they may do. Cheap to copy; the identity must outlive it.
class Caller {
 public:
  /// A caller of an emulator that asks for no credentials. May do everything.
  Caller() = default;
  /// Nothing as principal is a caller without credentials.
  Caller(const Identity& identity, std::optional<Principal> principal)
      : identity_(&identity), principal_(std::move(principal)) {}

  [[nodiscard]] bool is_checked() const { return identity_ != nullptr; }
  [[nodiscard]] const std::optional<Principal>& principal() const { return principal_; }

  /// In a bucket; "" is the project.
  [[nodiscard]] bool May(Permission permission, std::string_view bucket) const;
  /// Whether they may replace an existing object.
  [[nodiscard]] bool MayReplace(std::string_view bucket) const { return May(Permission::kObjectsDelete, bucket); }
  /// As May(). A refusal has GCS's words: 401 without credentials, else 403.
  [[nodiscard]] ApiResult<void> Require(Permission permission, std::string_view bucket) const;

 private:
  const Identity* identity_ = nullptr;
  std::optional<Principal> principal_ = {};
};

}  // namespace gcsflux::emulator
