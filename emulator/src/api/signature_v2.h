#pragma once

#include <optional>
#include <string>

#include "http/http_message.h"

namespace gcsflux::emulator {

// Signatures of version 2: https://cloud.google.com/storage/docs/access-control/signed-urls-v2, and that of S3.

struct SignatureV2 {
  std::string key = {};                      ///< An HMAC key's id, or an account's email.
  std::string signature = {};                ///< In base64.
  std::string text = {};                     ///< What is signed.
  std::string time = {};                     ///< The Date of a request with an Authorization header.
  std::optional<std::int64_t> expires = {};  ///< Of a signed URL: seconds since 1970.
};

/// That of `Authorization: AWS KEY:SIGNATURE` or GOOG1, or of the parameters Signature and Expires. Nothing if the
/// request has none.
std::optional<SignatureV2> ReadSignatureV2(const HttpRequest& request);

}  // namespace gcsflux::emulator
