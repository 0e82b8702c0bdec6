#include "identity/identity.h"

#include <algorithm>
#include <array>
#include <utility>

#include "identity/assertion.h"

namespace gcsflux::emulator {
namespace {

constexpr std::string_view kCloudPlatform = "https://www.googleapis.com/auth/cloud-platform";
constexpr std::string_view kStorageUrl = "https://storage.googleapis.com/";
// Clients of the real service send their assertions there, now and formerly.
constexpr std::array<std::string_view, 3> kTokenUrls = {"https://oauth2.googleapis.com/token",
                                                        "https://www.googleapis.com/oauth2/v4/token",
                                                        "https://accounts.google.com/o/oauth2/token"};

tl::unexpected<GrantError> Refuse(std::string error, std::string description, int status = 400) {
  return tl::unexpected(GrantError{status, std::move(error), std::move(description)});
}

bool IsTokenUrl(std::string_view audience, std::string_view own) {
  return audience == own || std::find(kTokenUrls.begin(), kTokenUrls.end(), audience) != kTokenUrls.end();
}

bool HasImpersonationScope(std::string_view scopes) {
  const std::string padded = " " + std::string(scopes) + " ";
  return padded.find(" https://www.googleapis.com/auth/cloud-platform ") != std::string::npos ||
         padded.find(" https://www.googleapis.com/auth/iam ") != std::string::npos;
}

template <class T, class Predicate>
const T* FindIf(const std::vector<T>& all, Predicate matches) {
  const auto found = std::find_if(all.begin(), all.end(), matches);
  return found != all.end() ? &*found : nullptr;
}

}  // namespace

Grant Identity::ExchangeAssertion(std::string_view text, std::string_view token_url) {
  auto assertion = CheckAssertion(config_, text, clock_());
  if (!assertion) return Refuse("invalid_grant", std::move(assertion.error()));
  if (!IsTokenUrl(assertion->jwt.audience, token_url)) {
    return Refuse("invalid_grant", "Invalid JWT: Failed audience check.");
  }
  if (assertion->jwt.scope.empty()) {
    return Refuse("invalid_scope", "Invalid OAuth scope or ID token audience provided.");
  }
  // A "sub" claim asks to act as a user of the domain, which needs domain-wide delegation.
  if (!assertion->jwt.subject.empty() && assertion->jwt.subject != assertion->jwt.issuer) {
    return Refuse("unauthorized_client",
                  "Client is unauthorized to retrieve access tokens using this method, or client not authorized for "
                  "any of the scopes requested.",
                  401);
  }
  return tokens_.Issue({assertion->signer->email, std::move(assertion->jwt.scope)}, config_.token_lifetime);
}

Grant Identity::Refresh(const RefreshRequest& request) {
  const auto* client =
      FindIf(config_.authorized_users, [&](const AuthorizedUser& user) { return user.client_id == request.client_id; });
  if (client == nullptr) return Refuse("invalid_client", "The OAuth client was not found.", 401);
  // A client, which is a program, may act for many users.
  const auto* user = FindIf(config_.authorized_users, [&](const AuthorizedUser& candidate) {
    return candidate.client_id == request.client_id && candidate.refresh_token == request.refresh_token;
  });
  const AuthorizedUser& holder = user != nullptr ? *user : *client;
  if (holder.client_secret != request.client_secret) return Refuse("invalid_client", "Unauthorized", 401);
  if (user == nullptr) return Refuse("invalid_grant", "Bad Request");
  std::string scope = request.scope.empty() ? std::string(kCloudPlatform) : request.scope;
  return tokens_.Issue({user->email, std::move(scope)}, config_.token_lifetime);
}

Grant Identity::ExchangeSubjectToken(const TokenExchangeRequest& request) {
  const auto* account = FindIf(config_.external_accounts, [&](const ExternalAccount& candidate) {
    return candidate.audience == request.audience;
  });
  if (account == nullptr) {
    return Refuse("invalid_target",
                  "The target service indicated by the \"audience\" parameters is invalid. This might either be "
                  "because the pool or provider is disabled or deleted or because it doesn't exist.");
  }
  if (account->subject_token_type != request.subject_token_type) {
    return Refuse("invalid_request", "The provider does not take subject tokens of this subject_token_type.");
  }
  if (request.scope.empty()) return Refuse("invalid_request", "Missing parameter: scope");
  const auto* token = FindIf(account->subject_tokens, [&](const ExternalAccount::SubjectToken& candidate) {
    return candidate.token == request.subject_token;
  });
  if (token == nullptr) return Refuse("invalid_grant", "The subject token is not one that the provider accepts.");
  return tokens_.Issue({token->principal, request.scope}, config_.token_lifetime);
}

Grant Identity::Impersonate(const Principal& caller, const ImpersonationRequest& request) {
  // https://cloud.google.com/iam/docs/reference/credentials/rest/v1/projects.serviceAccounts/generateAccessToken
  if (request.scope.empty()) return Refuse("INVALID_ARGUMENT", "Request contains an invalid argument: scope.");
  if (request.lifetime < std::chrono::seconds(1) || request.lifetime > std::chrono::hours(1)) {
    return Refuse("INVALID_ARGUMENT", "Request contains an invalid argument: lifetime.");
  }
  if (!HasImpersonationScope(caller.scopes)) {
    return Refuse("PERMISSION_DENIED", "Request had insufficient authentication scopes.", 403);
  }
  std::vector<std::string> chain = request.delegates;
  chain.push_back(request.service_account);
  std::string_view holder = caller.name;
  for (const std::string& next : chain) {
    if (!MayImpersonate(holder, next)) {
      return Refuse("PERMISSION_DENIED",
                    "Permission 'iam.serviceAccounts.getAccessToken' denied on resource (or it may not exist).", 403);
    }
    holder = next;
  }
  return tokens_.Issue({request.service_account, request.scope}, std::min(request.lifetime, config_.token_lifetime));
}

AccessToken Identity::IssueToMachine(std::string scopes) {
  return tokens_.Issue({config_.metadata_server.value().service_account, std::move(scopes)}, config_.token_lifetime);
}

std::optional<Principal> Identity::Authenticate(std::string_view bearer, std::string_view service_url) const {
  if (std::optional<Principal> principal = tokens_.Find(bearer)) return principal;
  // https://google.aip.dev/auth/4111: if there is no scope, the audience says for which service the token is.
  auto assertion = CheckAssertion(config_, bearer, clock_());
  if (!assertion || assertion->jwt.subject != assertion->jwt.issuer) return std::nullopt;
  Jwt& jwt = assertion->jwt;
  if (!jwt.scope.empty()) return Principal{std::move(jwt.issuer), std::move(jwt.scope)};
  if (jwt.audience != kStorageUrl && jwt.audience != service_url) return std::nullopt;
  return Principal{std::move(jwt.issuer), std::string(kCloudPlatform)};
}

PermissionSet Identity::PermissionsOn(std::string_view bucket, const std::optional<Principal>& principal) const {
  PermissionSet permissions;
  for (const RoleBinding& binding : config_.roles) {
    const bool is_holder = binding.principal == "allUsers" || (principal && binding.principal == principal->name);
    const bool is_here = binding.bucket == "*" || (!bucket.empty() && binding.bucket == bucket);
    if (is_holder && is_here) permissions |= PermissionsOf(binding.role);
  }
  return permissions;
}

bool Identity::MayImpersonate(std::string_view principal, std::string_view service_account) const {
  return FindIf(config_.impersonations, [&](const Impersonation& candidate) {
           return candidate.principal == principal && candidate.service_account == service_account;
         }) != nullptr;
}

}  // namespace gcsflux::emulator
