#include "auth/token_source.h"

#include <utility>

#include "auth/external_account_source.h"
#include "auth/impersonation_source.h"
#include "auth/metadata_source.h"
#include "auth/signed_jwt.h"
#include "auth/token_answers.h"
#include "base/text/url.h"

namespace gcsflux::internal {
namespace {

class FixedTokenSource : public TokenSource {
 public:
  explicit FixedTokenSource(FixedToken token) : token_(std::move(token)) {}
  [[nodiscard]] bool is_renewable() const override { return false; }
  Result<AccessToken> Fetch(const TokenContext&) const override { return AccessToken{.text = token_.text}; }

 private:
  const FixedToken token_;
};

class SelfSignedSource : public TokenSource {
 public:
  explicit SelfSignedSource(ServiceAccountKey key) : key_(std::move(key)) {}
  Result<AccessToken> Fetch(const TokenContext& context) const override {
    const auto now = context.timing.SystemNow();
    auto token = SignOwnToken(key_, now);
    if (!token) return token.error();
    return AccessToken{*std::move(token), now, now + kSignatureLifetime};
  }

 private:
  const ServiceAccountKey key_;
};

Result<AccessToken> Ask(const TokenContext& context, const TokenRequest& request) {
  const auto now = context.timing.SystemNow();  // Before the request: the answer's lifetime counts from its creation.
  const auto response = SendTokenRequest(context, request);
  if (!response) return response.error();
  auto token = ParseTokenAnswer(*response, now);
  return token ? token : NoTokenFrom(request.http.url, token.error());
}

class AssertionSource : public TokenSource {
 public:
  explicit AssertionSource(ServiceAccountKey key) : key_(std::move(key)) {}
  Result<AccessToken> Fetch(const TokenContext& context) const override {
    const auto assertion = SignAssertion(key_, context.timing.SystemNow());
    if (!assertion) return assertion.error();
    return Ask(context, AssertionRequest(key_, *assertion));
  }

 private:
  const ServiceAccountKey key_;
};

class AuthorizedUserSource : public TokenSource {
 public:
  explicit AuthorizedUserSource(AuthorizedUser user) : user_(std::move(user)) {}
  Result<AccessToken> Fetch(const TokenContext& context) const override {
    auto token = Ask(context, RefreshRequest(user_));
    if (token || token.error().code != ErrorCode::kUnauthenticated) return token;
    Error error = token.error();
    error.message += "; log in again: `gcloud auth application-default login`";
    return error;
  }

 private:
  const AuthorizedUser user_;
};

// One source per kind of credential.
struct SourceMaker {
  using Made = std::unique_ptr<const TokenSource>;
  bool exchanges_signatures;

  Made operator()(const AnonymousAccess&) const { return nullptr; }
  Made operator()(const ApplicationDefault&) const { return nullptr; }
  Made operator()(const FixedToken& token) const { return std::make_unique<FixedTokenSource>(token); }
  Made operator()(const ServiceAccountKey& key) const {
    if (exchanges_signatures || IsLoopback(key.token_uri)) return std::make_unique<AssertionSource>(key);
    return std::make_unique<SelfSignedSource>(key);
  }
  Made operator()(const AuthorizedUser& user) const { return std::make_unique<AuthorizedUserSource>(user); }
  Made operator()(const ExternalAccount& account) const { return MakeExternalAccountSource(account); }
  Made operator()(const ImpersonatedServiceAccount& account) const {
    return MakeImpersonationSource(MakeTokenSource(*account.source, exchanges_signatures), account.impersonation);
  }
  Made operator()(const MetadataServer& server) const { return MakeMetadataSource(server); }
};

struct KindName {
  std::string_view operator()(const AnonymousAccess&) const { return "anonymous access"; }
  std::string_view operator()(const ApplicationDefault&) const { return "application default"; }
  std::string_view operator()(const FixedToken&) const { return "access token"; }
  std::string_view operator()(const ServiceAccountKey&) const { return "service account"; }
  std::string_view operator()(const AuthorizedUser&) const { return "authorized user"; }
  std::string_view operator()(const ExternalAccount&) const { return "external account"; }
  std::string_view operator()(const ImpersonatedServiceAccount&) const { return "impersonated service account"; }
  std::string_view operator()(const MetadataServer&) const { return "metadata server"; }
};

}  // namespace

std::string_view CredentialKindName(const CredentialConfig& config) { return std::visit(KindName(), config.kind); }

std::unique_ptr<const TokenSource> MakeTokenSource(const CredentialConfig& config, bool exchanges_signatures) {
  return std::visit(SourceMaker{exchanges_signatures}, config.kind);
}

}  // namespace gcsflux::internal
