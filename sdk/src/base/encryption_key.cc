#include <ostream>

#include "base/sha256.h"
#include "base/text/base64.h"
#include "gcsflux/object.h"

namespace gcsflux {

Result<EncryptionKey> EncryptionKey::FromBytes(std::span<const std::byte> bytes) {
  constexpr std::size_t kAes256Bytes = 32;
  if (bytes.size() != kAes256Bytes) {
    return Error{ErrorCode::kInvalidArgument,
                 "an encryption key has 32 bytes (AES-256), not " + std::to_string(bytes.size())};
  }
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return EncryptionKey(internal::Base64Encode(text), internal::Base64Encode(internal::Sha256(text)));
}

Result<EncryptionKey> EncryptionKey::FromBase64(std::string_view text) {
  const auto bytes = internal::Base64Decode(text);
  if (!bytes) return Error{ErrorCode::kInvalidArgument, "the encryption key is not base64"};
  return FromBytes(std::as_bytes(std::span(*bytes)));
}

std::ostream& operator<<(std::ostream& out, const EncryptionKey& key) {
  return out << "EncryptionKey(sha256 " << key.sha256() << ")";
}

}  // namespace gcsflux
