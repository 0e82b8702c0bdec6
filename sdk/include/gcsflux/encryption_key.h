#pragma once

#include <cstddef>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

#include "gcsflux/result.h"

namespace gcsflux {

/// A customer-supplied encryption key: GCS encrypts and decrypts with it, and does not keep it. If you lose the key,
/// you lose the object. https://cloud.google.com/storage/docs/encryption/customer-supplied-keys
///
/// An immutable value. The key itself appears in no message, log or trace. Over plain http it is sent only to this
/// machine's loopback; other calls return kInvalidArgument.
class EncryptionKey {
 public:
  /// An AES-256 key. Returns kInvalidArgument unless it has 32 bytes.
  static Result<EncryptionKey> FromBytes(std::span<const std::byte> bytes);
  /// The same from base64 (RFC 4648, with padding), the form that tools store.
  static Result<EncryptionKey> FromBase64(std::string_view text);

  /// Base64 of the key's SHA-256, by which GCS names the key: ObjectMetadata::customer_key_sha256.
  [[nodiscard]] const std::string& sha256() const { return sha256_; }

  /// For this library's own requests: the key, in base64.
  [[nodiscard]] const std::string& secret_base64() const { return base64_; }

  /// Compares the hashes.
  friend bool operator==(const EncryptionKey& one, const EncryptionKey& other) { return one.sha256_ == other.sha256_; }
  /// Prints the hash.
  friend std::ostream& operator<<(std::ostream& out, const EncryptionKey& key);

 private:
  EncryptionKey(std::string base64, std::string sha256) : base64_(std::move(base64)), sha256_(std::move(sha256)) {}

  std::string base64_;
  std::string sha256_;
};

}  // namespace gcsflux
