#include "identity/assertion.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

namespace gcsflux::emulator {
namespace {

// https://developers.google.com/identity/protocols/oauth2/service-account: "exp" is at most an hour after "iat".
constexpr std::int64_t kMaxLifetime = 3600;
constexpr std::int64_t kClockSkew = 60;

bool IsValidAt(const Jwt& jwt, Time now) {
  if (!jwt.issued_at || !jwt.expires_at) return false;
  const std::int64_t seconds = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count();
  return *jwt.issued_at <= seconds + kClockSkew && *jwt.expires_at > seconds &&
         *jwt.expires_at - *jwt.issued_at <= kMaxLifetime;
}

// If a token names no key id, any of the account's keys may have signed it.
bool IsSignedBy(const ServiceAccount& account, const Jwt& jwt) {
  return std::any_of(account.keys.begin(), account.keys.end(), [&](const ServiceAccountKey& key) {
    return (jwt.key_id.empty() || jwt.key_id == key.id) && key.key.Verifies(jwt.signed_text, jwt.signature);
  });
}

}  // namespace

tl::expected<Assertion, std::string> CheckAssertion(const IdentityConfig& config, std::string_view text, Time now) {
  std::optional<Jwt> jwt = ParseJwt(text);
  if (!jwt) return tl::unexpected<std::string>("Invalid JWT: the token is malformed.");
  if (jwt->algorithm != "RS256") return tl::unexpected<std::string>("Invalid JWT: Only RS256 is supported.");
  const ServiceAccount* account = config.FindServiceAccount(jwt->issuer);
  if (account == nullptr) return tl::unexpected<std::string>("Invalid grant: account not found");
  if (!IsSignedBy(*account, *jwt)) return tl::unexpected<std::string>("Invalid JWT Signature.");
  if (!IsValidAt(*jwt, now)) {
    return tl::unexpected<std::string>(
        "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and "
        "exp values in the JWT claim.");
  }
  return Assertion{*std::move(jwt), account};
}

}  // namespace gcsflux::emulator
