#include "api/authorizer.h"

#include <optional>
#include <string>
#include <utility>

#include "api/request_signature.h"
#include "base/letter_case.h"

namespace gcsflux::emulator {
namespace {

constexpr std::string_view kScheme = "bearer ";

// Schemes are compared without regard to case.
bool IsBearer(std::string_view authorization) { return IsInAnyCase(authorization.substr(0, kScheme.size()), kScheme); }

ApiResult<void> RequireAll(const Caller& caller, PermissionSet needed, const ObjectPlace& place) {
  for (std::size_t i = 0; i < kPermissionCount; ++i) {
    const auto permission = static_cast<Permission>(i);
    if (!needed.Has(permission)) continue;
    if (auto allowed = caller.Require(permission, place); !allowed) return allowed;
  }
  return {};
}

}  // namespace

ApiResult<Caller> Authorizer::Identify(const HttpHeaders& headers, const std::string& base_url) const {
  if (identity_ == nullptr) return Caller();
  if (headers.Find("authorization") == nullptr) return Caller(*rules_, std::nullopt);
  std::optional<Principal> principal = IdentifyBearer(*identity_, headers, base_url);
  if (!principal) return tl::unexpected(ApiError{401, "authError", "Invalid Credentials"});
  return Caller(*rules_, std::move(principal));
}

ApiResult<Caller> Authorizer::IdentifySigner(const HttpRequest& request, const std::string& base_url) const {
  if (identity_ == nullptr || !IsSigned(request)) return Identify(request.headers, base_url);
  ApiResult<Principal> signer = VerifySignature(request, *identity_, keys_, store_.now());
  if (!signer) return tl::unexpected(signer.error());
  return Caller(*rules_, *std::move(signer));
}

ApiResult<Caller> Authorizer::IdentifyForm(const FormFields& fields) const {
  if (identity_ == nullptr) return Caller();
  if (!fields.contains("policy")) return Caller(*rules_, std::nullopt);
  ApiResult<Principal> signer = VerifyPolicy(fields, *identity_, keys_);
  if (!signer) return tl::unexpected(signer.error());
  return Caller(*rules_, *std::move(signer));
}

ApiResult<void> Authorizer::Check(const Caller& caller, const NeededPermissions& needed,
                                  const ObjectPlace& place) const {
  if (!caller.is_checked()) return {};
  if (auto allowed = RequireAll(caller, needed.on_project, {}); !allowed) return allowed;
  if (auto allowed = RequireAll(caller, needed.on_bucket, {.bucket = place.bucket}); !allowed) return allowed;
  if (auto allowed = RequireAll(caller, needed.on_object, place); !allowed) return allowed;
  if (!needed.replaces_object) return {};
  const auto found = store_.FindBucket(place.bucket);
  return found ? RequireReplace(caller, **found, std::string(place.object)) : ApiResult<void>();
}

std::optional<Principal> IdentifyBearer(const Identity& identity, const HttpHeaders& headers,
                                        const std::string& base_url) {
  const std::string* authorization = headers.Find("authorization");
  if (authorization == nullptr || !IsBearer(*authorization)) return std::nullopt;
  return identity.Authenticate(std::string_view(*authorization).substr(kScheme.size()), base_url + "/");
}

ApiResult<void> RequireReplace(const Caller& caller, const Bucket& bucket, const std::string& object) {
  if (!caller.is_checked() || !bucket.GetObject({.name = object})) return {};
  return caller.Require(Permission::kObjectsDelete, bucket.info()->name);
}

void AddChallenge(HttpResponse& response) {
  if (response.status != 401) return;
  response.headers.Add("WWW-Authenticate", "Bearer realm=\"https://accounts.google.com/\"");
}

}  // namespace gcsflux::emulator
