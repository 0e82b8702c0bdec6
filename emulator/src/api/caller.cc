#include "api/caller.h"

#include <string>

namespace gcsflux::emulator {
namespace {

// "EMAIL does not have storage.objects.get access to the Google Cloud Storage object. Permission 'storage.objects.get'
// denied on resource (or it may not exist)."
std::string Refusal(const std::string& who, Permission permission) {
  const std::string name(NameOf(permission));
  const std::string resource(ResourceOf(permission));
  const std::string where = resource == "project" ? "Google Cloud project" : "Google Cloud Storage " + resource;
  return who + " does not have " + name + " access to the " + where + ". Permission '" + name +
         "' denied on resource (or it may not exist).";
}

}  // namespace

bool Caller::May(Permission permission, const ObjectPlace& place) const {
  if (rules_ == nullptr) return true;
  const bool is_in_scope = !principal_ || PermissionsWithin(principal_->scopes).Has(permission);
  return is_in_scope && rules_->PermissionsOn(place, principal_).Has(permission);
}

ApiResult<void> Caller::Require(Permission permission, const ObjectPlace& place) const {
  if (May(permission, place)) return {};
  if (!principal_) return tl::unexpected(ApiError{401, "required", Refusal("Anonymous caller", permission)});
  if (!PermissionsWithin(principal_->scopes).Has(permission)) {
    return tl::unexpected(ApiError{403, "forbidden", "Provided scope(s) are not authorized"});
  }
  return tl::unexpected(ApiError{403, "forbidden", Refusal(principal_->name, permission)});
}

}  // namespace gcsflux::emulator
