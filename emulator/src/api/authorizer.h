#pragma once

#include <optional>
#include <string>

#include "api/access_rules.h"
#include "api/caller.h"
#include "api/object_place.h"
#include "api/post_policy.h"
#include "http/api_error.h"
#include "http/http_message.h"
#include "identity/hmac_keys.h"
#include "identity/identity.h"
#include "operations/needed_permissions.h"
#include "store/buckets/bucket.h"
#include "store/buckets/store.h"

namespace gcsflux::emulator {

/// Finds out who sends a request, and whether they may do what they ask for. Thread-safe.
class Authorizer {
 public:
  /// If the identity is null, every caller may do everything. All of them must outlive it.
  Authorizer(const Identity* identity, const HmacKeys& keys, const Store& store)
      : identity_(identity), keys_(keys), store_(store) {
    if (identity != nullptr) rules_.emplace(*identity, store);
  }

  /// By the Authorization header, if there is one; 401 if it is not valid. `base_url` is the client's name for the
  /// emulator. Signatures may name it as their audience.
  [[nodiscard]] ApiResult<Caller> Identify(const HttpHeaders& headers, const std::string& base_url) const;

  /// The same for a request of the XML API, which may be signed instead: see VerifySignature(). It must be as it
  /// arrived.
  [[nodiscard]] ApiResult<Caller> IdentifySigner(const HttpRequest& request, const std::string& base_url) const;

  /// By the signature of a form's policy document; a form without one is of a caller without credentials.
  [[nodiscard]] ApiResult<Caller> IdentifyForm(const FormFields& fields) const;

  /// `place` is what the request names.
  [[nodiscard]] ApiResult<void> Check(const Caller& caller, const NeededPermissions& needed,
                                      const ObjectPlace& place) const;

 private:
  const Identity* const identity_;
  const HmacKeys& keys_;
  const Store& store_;
  std::optional<AccessRules> rules_ = {};  // if callers are checked
};

/// The principal of the bearer token in the Authorization header, if there is one and it is valid.
std::optional<Principal> IdentifyBearer(const Identity& identity, const HttpHeaders& headers,
                                        const std::string& base_url);

/// To write over an existing object, a caller must be allowed to delete it.
ApiResult<void> RequireReplace(const Caller& caller, const Bucket& bucket, const std::string& object);

/// Adds WWW-Authenticate if the response is a 401.
void AddChallenge(HttpResponse& response);

}  // namespace gcsflux::emulator
