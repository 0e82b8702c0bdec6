#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace gcsflux::internal {

/// A private RSA key. Immutable; thread-safe.
class RsaKey {
 public:
  /// From PEM (PKCS #8 or PKCS #1) without a passphrase. Null if `pem` is not such a key.
  static std::shared_ptr<const RsaKey> FromPem(std::string_view pem);
  ~RsaKey();
  RsaKey(const RsaKey&) = delete;
  RsaKey& operator=(const RsaKey&) = delete;

  /// RSASSA-PKCS1-v1_5 with SHA-256 (RS256). Nothing if OpenSSL fails.
  [[nodiscard]] std::optional<std::string> SignSha256(std::string_view text) const;

 private:
  struct Key;
  explicit RsaKey(std::unique_ptr<Key> key);
  const std::unique_ptr<Key> key_;
};

}  // namespace gcsflux::internal
