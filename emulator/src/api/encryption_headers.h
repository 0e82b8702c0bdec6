#pragma once

#include <string>
#include <string_view>

#include "http/api_error.h"
#include "http/http_message.h"
#include "store/objects/object.h"

namespace gcsflux::emulator {

inline constexpr std::string_view kKeyHeaders = "x-goog-encryption-";
/// Of what a copy is made from.
inline constexpr std::string_view kSourceKeyHeaders = "x-goog-copy-source-encryption-";

/// The hash, in base64, of the key that the three headers beginning with `prefix` supply; empty where there are none.
/// 400 where one is missing, or they do not fit each other. The key goes no further than this.
ApiResult<std::string> ReadCustomerKey(const HttpHeaders& headers, std::string_view prefix = kKeyHeaders);

/// What a request stores an object under: a customer-supplied key, or the KMS key of that name, or neither; not both.
ApiResult<ObjectEncryption> ReadEncryption(const HttpHeaders& headers, std::string kms_key_name);

/// Whether the request supplies the key that the object is under; an object's hashes are shown only then. True where it
/// is under none.
bool ShowsKeyOf(const Object& object, const HttpHeaders& headers);

/// x-goog-encryption-... of an answer about the object.
void AddEncryptionHeaders(HttpHeaders& headers, const Object& object);

}  // namespace gcsflux::emulator
