#pragma once

#include <string>
#include <string_view>

#include "http/api_error.h"
#include "http/http_message.h"
#include "store/objects/object.h"

namespace gcsflux::emulator {

inline constexpr std::string_view kKeyHeaders = "x-goog-encryption-";
/// For the source of a copy.
inline constexpr std::string_view kSourceKeyHeaders = "x-goog-copy-source-encryption-";

/// The hash, in base64, of the key in the three headers that begin with `prefix`. Empty if there are none. 400 if one
/// is missing, or if they do not fit each other. The key itself is not kept.
ApiResult<std::string> ReadCustomerKey(const HttpHeaders& headers, std::string_view prefix = kKeyHeaders);

/// How a request stores an object: under a customer-supplied key, or under the KMS key of that name, or under neither.
/// Not both.
ApiResult<ObjectEncryption> ReadEncryption(const HttpHeaders& headers, std::string kms_key_name);

/// Whether the request supplies the key that the object is under. An object's hashes are shown only then. True if it is
/// under none.
bool ShowsKeyOf(const Object& object, const HttpHeaders& headers);

/// Adds x-goog-encryption-... to an answer about the object.
void AddEncryptionHeaders(HttpHeaders& headers, const Object& object);

}  // namespace gcsflux::emulator
