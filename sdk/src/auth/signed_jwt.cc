#include "auth/signed_jwt.h"

#include <nlohmann/json.hpp>

#include "base/text/base64.h"

namespace gcsflux::internal {
namespace {

using nlohmann::json;

// RFC 4648, section 5, without padding.
std::string Base64Url(std::string_view bytes) {
  std::string text = Base64Encode(bytes);
  text.resize(text.find_last_not_of('=') + 1);
  for (char& c : text) c = c == '+' ? '-' : c == '/' ? '_' : c;
  return text;
}

Result<std::string> Sign(const ServiceAccountKey& key, json claims, std::chrono::system_clock::time_point now) {
  const auto issued = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch());
  claims["iss"] = key.client_email;
  claims["scope"] = kCloudPlatformScope;
  claims["iat"] = issued.count();
  claims["exp"] = (issued + kSignatureLifetime).count();
  json header = {{"alg", "RS256"}, {"typ", "JWT"}};
  if (!key.private_key_id.empty()) header["kid"] = key.private_key_id;
  const std::string text = Base64Url(header.dump()) + "." + Base64Url(claims.dump());
  const auto signature = key.private_key->SignSha256(text);
  if (!signature) return Error{ErrorCode::kUnauthenticated, "the key of " + key.client_email + " cannot sign"};
  return text + "." + Base64Url(*signature);
}

}  // namespace

Result<std::string> SignOwnToken(const ServiceAccountKey& key, std::chrono::system_clock::time_point now) {
  return Sign(key, {{"sub", key.client_email}}, now);
}

Result<std::string> SignAssertion(const ServiceAccountKey& key, std::chrono::system_clock::time_point now) {
  return Sign(key, {{"aud", key.token_uri}}, now);
}

}  // namespace gcsflux::internal
