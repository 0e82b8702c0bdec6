#pragma once

#include <string>
#include <string_view>

namespace gcsflux::emulator {

/// The 32 bytes of HMAC-SHA-256, and the 20 of HMAC-SHA-1.
std::string HmacSha256(std::string_view key, std::string_view text);
std::string HmacSha1(std::string_view key, std::string_view text);

/// The 32 bytes of SHA-256.
std::string Sha256(std::string_view text);

/// Two hexadecimal digits for each byte, in lower case.
std::string ToHex(std::string_view bytes);
/// The bytes; "" if the text is not hexadecimal.
std::string FromHex(std::string_view text);

/// In a time that does not depend on where they differ.
bool AreEqualSecrets(std::string_view a, std::string_view b);

}  // namespace gcsflux::emulator
