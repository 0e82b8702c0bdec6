#pragma once

#include <optional>

#include "api/post_policy.h"
#include "http/api_error.h"
#include "http/http_message.h"
#include "identity/hmac_keys.h"
#include "identity/identity.h"

namespace gcsflux::emulator {

// Signatures of versions 4 and 2, in the Authorization header or in a signed URL: by the secret of an HMAC key, or, in
// a URL only, by a service account's RSA key. https://cloud.google.com/storage/docs/authentication/signatures

/// Whether the request is signed so.
bool IsSigned(const HttpRequest& request);

/// The service account that signed the request. 403 if the signature does not match, its key is not active or the time
/// is more than 15 minutes from `now`; 400 if a signed URL has expired, or would be valid for more than 7 days.
ApiResult<Principal> VerifySignature(const HttpRequest& request, const Identity& identity, const HmacKeys& keys,
                                     Time now);

/// The principal that signed the policy document of a form. 403 if the signature is not right.
ApiResult<Principal> VerifyPolicy(const FormFields& fields, const Identity& identity, const HmacKeys& keys);

}  // namespace gcsflux::emulator
