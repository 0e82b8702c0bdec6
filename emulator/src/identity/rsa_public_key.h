#pragma once

#include <memory>
#include <optional>
#include <string_view>

struct evp_pkey_st;

namespace gcsflux::emulator {

/// The key that checks a service account's signatures. Thread-safe.
class RsaPublicKey {
 public:
  /// From a PEM public key, certificate or private key. Nothing if it is none of them, or not RSA.
  static std::optional<RsaPublicKey> FromPem(std::string_view pem);

  /// RSASSA-PKCS1-v1_5 with SHA-256, which JSON Web Tokens call RS256.
  [[nodiscard]] bool Verifies(std::string_view message, std::string_view signature) const;

 private:
  explicit RsaPublicKey(std::shared_ptr<evp_pkey_st> key) : key_(std::move(key)) {}
  std::shared_ptr<evp_pkey_st> key_;
};

}  // namespace gcsflux::emulator
