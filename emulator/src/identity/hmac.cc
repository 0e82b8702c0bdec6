#include "identity/hmac.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <charconv>

namespace gcsflux::emulator {
namespace {

const unsigned char* Bytes(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

std::string HmacBy(const EVP_MD* digest, std::string_view key, std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes;
  unsigned size = 0;
  ::HMAC(digest, key.data(), static_cast<int>(key.size()), Bytes(text), text.size(), bytes.data(), &size);
  return {reinterpret_cast<const char*>(bytes.data()), size};
}

}  // namespace

std::string HmacSha256(std::string_view key, std::string_view text) { return HmacBy(::EVP_sha256(), key, text); }

std::string HmacSha1(std::string_view key, std::string_view text) { return HmacBy(::EVP_sha1(), key, text); }

std::string Sha256(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes;
  unsigned size = 0;
  ::EVP_Digest(text.data(), text.size(), bytes.data(), &size, ::EVP_sha256(), nullptr);
  return {reinterpret_cast<const char*>(bytes.data()), size};
}

std::string ToHex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
}

std::string FromHex(std::string_view text) {
  std::string bytes;
  if (text.size() % 2 != 0) return bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(text.data() + i, text.data() + i + 2, value, 16);
    if (error != std::errc() || end != text.data() + i + 2) return "";
    bytes += static_cast<char>(value);
  }
  return bytes;
}

bool AreEqualSecrets(std::string_view a, std::string_view b) {
  return a.size() == b.size() && ::CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace gcsflux::emulator
