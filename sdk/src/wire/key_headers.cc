#include "wire/key_headers.h"

#include "base/text/url.h"

namespace gcsflux::internal {
namespace {

constexpr std::string_view kKeyPrefix = "x-goog-encryption-";
constexpr std::string_view kSourcePrefix = "x-goog-copy-source-encryption-";

void Add(HttpRequest& request, std::string_view prefix, const std::optional<EncryptionKey>& key) {
  if (!key) return;
  const std::string start(prefix);
  request.headers.emplace_back(start + "algorithm", "AES256");
  request.headers.emplace_back(start + "key", key->secret_base64());
  request.headers.emplace_back(start + "key-sha256", key->sha256());
}

}  // namespace

void AddKey(HttpRequest& request, const std::optional<EncryptionKey>& key) { Add(request, kKeyPrefix, key); }

void AddSourceKey(HttpRequest& request, const std::optional<EncryptionKey>& key) { Add(request, kSourcePrefix, key); }

Result<void> CheckKeyTravels(const std::string& endpoint, const std::optional<EncryptionKey>& key) {
  if (!key || !endpoint.starts_with("http://") || IsLoopback(endpoint)) return {};
  return Error{ErrorCode::kInvalidArgument, "an encryption key would go to " + endpoint + " in the clear: use https"};
}

}  // namespace gcsflux::internal
