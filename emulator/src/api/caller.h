#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/access_rules.h"
#include "api/object_place.h"
#include "http/api_error.h"
#include "identity/permissions.h"
#include "identity/tokens.h"

namespace gcsflux::emulator {

/// Who sends a request, and what they may do. Cheap to copy; the rules must outlive it.
class Caller {
 public:
  /// A caller of an emulator that asks for no credentials. May do everything.
  Caller() = default;
  /// Nothing as principal is a caller without credentials.
  Caller(const AccessRules& rules, std::optional<Principal> principal)
      : rules_(&rules), principal_(std::move(principal)) {}

  [[nodiscard]] bool is_checked() const { return rules_ != nullptr; }
  [[nodiscard]] const std::optional<Principal>& principal() const { return principal_; }
  /// What the owner of an object that they make is in an access control list: "user-EMAIL". "" if they are not known.
  [[nodiscard]] std::string entity() const { return principal_ ? "user-" + principal_->name : std::string(); }

  [[nodiscard]] bool May(Permission permission, const ObjectPlace& place) const;
  /// In a bucket; "" is the project.
  [[nodiscard]] bool May(Permission permission, std::string_view bucket) const {
    return May(permission, ObjectPlace{.bucket = bucket});
  }
  /// Whether they may replace an existing object.
  [[nodiscard]] bool MayReplace(std::string_view bucket) const { return May(Permission::kObjectsDelete, bucket); }
  /// As May(). A refusal has GCS's words: 401 without credentials, else 403.
  [[nodiscard]] ApiResult<void> Require(Permission permission, const ObjectPlace& place) const;
  [[nodiscard]] ApiResult<void> Require(Permission permission, std::string_view bucket) const {
    return Require(permission, ObjectPlace{.bucket = bucket});
  }

 private:
  const AccessRules* rules_ = nullptr;
  std::optional<Principal> principal_ = {};
};

}  // namespace gcsflux::emulator
