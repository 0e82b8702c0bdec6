#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "base/time_source.h"
#include "identity/config.h"
#include "identity/permissions.h"
#include "identity/tokens.h"

namespace gcsflux::emulator {

/// Why no token was issued, in the words of RFC 6749. Never repeats what was sent.
struct GrantError {
  int status = 400;
  std::string error = {};  ///< "invalid_grant", say.
  std::string description = {};
};

using Grant = tl::expected<AccessToken, GrantError>;

struct RefreshRequest {
  std::string client_id = {};
  std::string client_secret = {};
  std::string refresh_token = {};
  std::string scope = {};
};

struct TokenExchangeRequest {
  std::string audience = {};
  std::string subject_token = {};
  std::string subject_token_type = {};
  std::string scope = {};
};

struct ImpersonationRequest {
  std::string service_account = {};
  std::vector<std::string> delegates =
      {};  ///< The service accounts in between. Each is impersonated by the one before it.
  std::string scope = {};
  std::chrono::seconds lifetime{3600};
};

/// All identities and what they may do: the tokens that are issued, and what they are valid for. Thread-safe.
class Identity {
 public:
  Identity(IdentityConfig config, TimeSource clock)
      : config_(std::move(config)), clock_(clock), tokens_(std::move(clock)) {}

  [[nodiscard]] const IdentityConfig& config() const { return config_; }

  /// Exchanges a token that a service account signed itself. `token_url` is an audience in addition to the service's
  /// own.
  Grant ExchangeAssertion(std::string_view assertion, std::string_view token_url);
  Grant Refresh(const RefreshRequest& request);
  Grant ExchangeSubjectToken(const TokenExchangeRequest& request);
  Grant Impersonate(const Principal& caller, const ImpersonationRequest& request);
  /// For a program on the machine, which must have an account.
  AccessToken IssueToMachine(std::string scopes);

  /// The principal of the bearer token. The token was issued here, or a service account signed it for the service;
  /// `service_url` is accepted in addition to the real service's URL. Nothing if it is neither, or no longer valid.
  [[nodiscard]] std::optional<Principal> Authenticate(std::string_view bearer, std::string_view service_url) const;

  /// What a principal may do in a bucket; "" is the project. Nothing as principal stands for a caller without
  /// credentials. Scopes are ignored.
  [[nodiscard]] PermissionSet PermissionsOn(std::string_view bucket, const std::optional<Principal>& principal) const;

 private:
  [[nodiscard]] bool MayImpersonate(std::string_view principal, std::string_view service_account) const;

  const IdentityConfig config_;
  const TimeSource clock_;
  Tokens tokens_;
};

}  // namespace gcsflux::emulator
