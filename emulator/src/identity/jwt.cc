#include "identity/jwt.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "identity/base64url.h"
#include "json/bounded_json.h"

namespace gcsflux::emulator {
namespace {

using nlohmann::json;

// Far longer than any token.
constexpr std::size_t kMaxSize = std::size_t{16} << 10;

std::optional<json> DecodeObject(std::string_view part) {
  const std::optional<std::string> text = DecodeBase64Url(part);
  if (!text) return std::nullopt;
  json object = ParseBoundedJson(*text);
  if (!object.is_object()) return std::nullopt;
  return object;
}

// False if the member is there and is not a string.
bool Read(const json& object, const char* name, std::string& value) {
  const auto found = object.find(name);
  if (found == object.end()) return true;
  if (!found->is_string()) return false;
  value = found->get<std::string>();
  return true;
}

// Some clients write seconds with a fraction.
bool Read(const json& object, const char* name, std::optional<std::int64_t>& value) {
  constexpr double kLargest = 1e15;
  const auto found = object.find(name);
  if (found == object.end()) return true;
  if (!found->is_number()) return false;
  const auto seconds = found->get<double>();
  if (!(seconds > -kLargest && seconds < kLargest)) return false;
  value = static_cast<std::int64_t>(seconds);
  return true;
}

}  // namespace

std::optional<Jwt> ParseJwt(std::string_view text) {
  if (text.size() > kMaxSize || std::count(text.begin(), text.end(), '.') != 2) return std::nullopt;
  const std::size_t first_dot = text.find('.');
  const std::size_t last_dot = text.rfind('.');
  const std::optional<json> header = DecodeObject(text.substr(0, first_dot));
  const std::optional<json> claims = DecodeObject(text.substr(first_dot + 1, last_dot - first_dot - 1));
  std::optional<std::string> signature = DecodeBase64Url(text.substr(last_dot + 1));
  if (!header || !claims || !signature) return std::nullopt;
  Jwt jwt{.signed_text = std::string(text.substr(0, last_dot)), .signature = *std::move(signature)};
  const bool is_typed = Read(*header, "alg", jwt.algorithm) && Read(*header, "kid", jwt.key_id) &&
                        Read(*claims, "iss", jwt.issuer) && Read(*claims, "sub", jwt.subject) &&
                        Read(*claims, "aud", jwt.audience) && Read(*claims, "scope", jwt.scope) &&
                        Read(*claims, "iat", jwt.issued_at) && Read(*claims, "exp", jwt.expires_at);
  return is_typed ? std::optional(std::move(jwt)) : std::nullopt;
}

}  // namespace gcsflux::emulator
