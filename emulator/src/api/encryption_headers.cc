#include "api/encryption_headers.h"

#include <openssl/evp.h>

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include "base/base64.h"

namespace gcsflux::emulator {
namespace {

constexpr std::size_t kKeySize = 32;
constexpr std::string_view kAlgorithm = "AES256";

std::string Sha256Base64(std::string_view bytes) {
  std::array<unsigned char, 32> digest{};
  unsigned int size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1) {
    throw std::runtime_error("OpenSSL does not offer SHA256 here");
  }
  return EncodeBase64(std::as_bytes(std::span(digest)));
}

// In the words of https://cloud.google.com/storage/docs/json_api/v1/status-codes, which repeat no value.
tl::unexpected<ApiError> Invalid(const char* reason, const char* message) {
  return tl::unexpected(ApiError{400, reason, message});
}

}  // namespace

ApiResult<std::string> ReadCustomerKey(const HttpHeaders& headers, std::string_view prefix) {
  const std::string* algorithm = headers.Find(std::string(prefix) + "algorithm");
  const std::string* key = headers.Find(std::string(prefix) + "key");
  const std::string* sha256 = headers.Find(std::string(prefix) + "key-sha256");
  if (algorithm == nullptr && key == nullptr && sha256 == nullptr) return std::string();
  if (algorithm == nullptr || *algorithm != kAlgorithm) {
    return Invalid("customerEncryptionAlgorithmIsInvalid",
                   "Missing an encryption algorithm, or the provided algorithm is not \"AES256.\"");
  }
  const std::optional<std::string> bytes = key != nullptr ? DecodeBase64(*key) : std::nullopt;
  if (!bytes || bytes->size() != kKeySize) {
    return Invalid("customerEncryptionKeyFormatIsInvalid",
                   "Missing an encryption key, or it is not Base64 encoded, or it does not meet the required length of "
                   "the encryption algorithm.");
  }
  std::string computed = Sha256Base64(*bytes);
  if (sha256 == nullptr || *sha256 != computed) {
    return Invalid("customerEncryptionKeySha256IsInvalid",
                   "Missing a SHA256 hash of the encryption key, or it is not Base64 encoded, or it does not match the "
                   "encryption key.");
  }
  return computed;
}

ApiResult<ObjectEncryption> ReadEncryption(const HttpHeaders& headers, std::string kms_key_name) {
  ApiResult<std::string> key = ReadCustomerKey(headers);
  if (!key) return tl::unexpected(key.error());
  if (!key->empty() && !kms_key_name.empty()) {
    return tl::unexpected(BadRequest("A customer-supplied encryption key and a Cloud KMS key exclude each other."));
  }
  return ObjectEncryption{*std::move(key), std::move(kms_key_name)};
}

bool ShowsKeyOf(const Object& object, const HttpHeaders& headers) {
  const std::string_view needed = CustomerKeySha256(object);
  return needed.empty() || ReadCustomerKey(headers) == std::string(needed);
}

void AddEncryptionHeaders(HttpHeaders& headers, const Object& object) {
  const std::string_view key = CustomerKeySha256(object);
  if (!key.empty()) {
    headers.Add("X-Goog-Encryption-Algorithm", std::string(kAlgorithm));
    headers.Add("X-Goog-Encryption-Key-Sha256", std::string(key));
  }
  if (object.extras != nullptr && !object.extras->encryption.kms_key_name.empty()) {
    headers.Add("X-Goog-Encryption-Kms-Key-Name", object.extras->encryption.kms_key_name);
  }
}

}  // namespace gcsflux::emulator
