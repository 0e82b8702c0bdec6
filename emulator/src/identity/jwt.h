#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gcsflux::emulator {

/// A JSON Web Token (RFC 7519) in compact form, split into its parts. Its content must not be trusted before its
/// signature is checked.
struct Jwt {
  std::string algorithm = {};
  std::string key_id = {};  ///< Empty if absent, like the claims.
  std::string issuer = {};
  std::string subject = {};
  std::string audience = {};
  std::string scope = {};
  std::optional<std::int64_t> issued_at = {};  ///< Seconds since 1970.
  std::optional<std::int64_t> expires_at = {};
  std::string signed_text = {};
  std::string signature = {};
};

/// Nothing if the text is not three base64url parts, or if the first two are not JSON objects whose known members have
/// their types.
std::optional<Jwt> ParseJwt(std::string_view text);

}  // namespace gcsflux::emulator
