#include "auth/token_source.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <utility>

#include "auth/find_credentials.h"
#include "auth/signed_jwt.h"
#include "auth/token_answers.h"
#include "base/text/url.h"

namespace gcsflux::internal {
namespace {

using FetchToken = std::function<Result<AccessToken>(const TokenContext&)>;

class FetchedTokens : public TokenSource {
 public:
  explicit FetchedTokens(FetchToken fetch) : fetch_(std::move(fetch)) {}
  Result<AccessToken> Fetch(const TokenContext& context) const override { return fetch_(context); }

 private:
  const FetchToken fetch_;
};

class FixedTokenSource : public TokenSource {
 public:
  explicit FixedTokenSource(FixedToken token) : token_(std::move(token)) {}
  [[nodiscard]] bool is_renewable() const override { return false; }
  Result<AccessToken> Fetch(const TokenContext&) const override { return AccessToken{.text = token_.text}; }

 private:
  const FixedToken token_;
};

Result<AccessToken> Ask(const TokenContext& context, const TokenRequest& request, const ParseToken& parse) {
  const auto now = context.timing.SystemNow();  // Before the request: the answer's lifetime counts from its creation.
  const auto response = SendTokenRequest(context, request);
  if (!response) return response.error();
  auto token = parse(*response, now);
  return token ? token : NoTokenFrom(request.http.url, token.error());
}

FetchToken SignedBy(ServiceAccountKey key) {
  return [key = std::move(key)](const TokenContext& context) -> Result<AccessToken> {
    const auto now = context.timing.SystemNow();
    auto token = SignOwnToken(key, now);
    if (!token) return token.error();
    return AccessToken{*std::move(token), now, now + kSignatureLifetime};
  };
}

FetchToken ForAssertionOf(ServiceAccountKey key) {
  return [key = std::move(key)](const TokenContext& context) -> Result<AccessToken> {
    const auto assertion = SignAssertion(key, context.timing.SystemNow());
    if (!assertion) return assertion.error();
    return Ask(context, AssertionRequest(key, *assertion), ParseTokenAnswer);
  };
}

FetchToken RefreshedBy(AuthorizedUser user) {
  return [user = std::move(user)](const TokenContext& context) {
    auto token = Ask(context, RefreshRequest(user), ParseTokenAnswer);
    if (token || token.error().code != ErrorCode::kUnauthenticated) return token;
    Error error = token.error();
    error.message += "; log in again: `gcloud auth application-default login`";
    return Result<AccessToken>(error);
  };
}

// The base's token is fetched each time: it is needed once in an hour, and would be as old as the token it is for.
FetchToken Impersonated(std::shared_ptr<const TokenSource> base, Impersonation impersonation) {
  return [base = std::move(base),
          impersonation = std::move(impersonation)](const TokenContext& context) -> Result<AccessToken> {
    const auto own = base->Fetch(context);
    if (!own) return own.error();
    return Ask(context, ImpersonationRequest(impersonation, own->text), ParseImpersonationAnswer);
  };
}

Result<std::string> SubjectTokenOfFile(const SubjectTokenSource& source) {
  const std::string subject = "subject token file '" + source.file + "' of the external account ";
  const auto text = ReadLocalFile(source.file);
  if (!text) return Error{ErrorCode::kLocalIo, subject + text.error().message};
  if (!*text) return Error{ErrorCode::kLocalIo, subject + "is not there"};
  auto token = ParseSubjectToken(**text, source.json_field);
  return token ? token : Error{ErrorCode::kLocalIo, subject + token.error().message};
}

Result<std::string> SubjectTokenOfUrl(const TokenContext& context, const SubjectTokenSource& source) {
  const auto response = SendTokenRequest(context, SubjectTokenRequest(source));
  if (!response) return response.error();
  auto token = ParseSubjectToken(response->body, source.json_field);
  if (token) return token;
  return NoTokenFrom(source.url, Error{token.error().code, "the answer " + token.error().message});
}

// An identity outside of Google. Its own token is read from its source each time, because it is renewed there, and
// exchanged at Google's Security Token Service.
FetchToken ExchangedFor(ExternalAccount account) {
  return [account = std::move(account)](const TokenContext& context) -> Result<AccessToken> {
    const SubjectTokenSource& source = account.source;
    const auto subject_token = source.url.empty() ? SubjectTokenOfFile(source) : SubjectTokenOfUrl(context, source);
    if (!subject_token) return subject_token.error();
    return Ask(context, ExchangeRequest(account, *subject_token), ParseTokenAnswer);
  };
}

// The machine's own service account. If the server has never answered, it probably does not exist: after a few quick
// attempts returns kUnauthenticated, with all places that were searched.
FetchToken OfMachine(MetadataServer server) {
  const auto has_answered = std::make_shared<std::atomic<bool>>(false);
  return [server = std::move(server), has_answered](TokenContext context) {
    constexpr int kFirstAttempts = 3;  // A pod's own server can start some seconds later than the pod.
    if (!*has_answered) context.retry.max_attempts = std::min(context.retry.max_attempts, kFirstAttempts);
    auto token = Ask(context, MetadataRequest(server.host), ParseMetadataAnswer);
    if (token) *has_answered = true;
    if (*has_answered || token.error().code == ErrorCode::kCancelled) return token;
    return Result<AccessToken>(
        Error{ErrorCode::kUnauthenticated,
              "no credentials: " + server.looked_at + "; the metadata server gave none (" + token.error().message +
                  "). Run `gcloud auth application-default login`, or let GOOGLE_APPLICATION_CREDENTIALS name a "
                  "credential file; public data takes Credentials::Anonymous() or --credentials=anonymous"});
  };
}

// One source per kind of credential.
struct SourceMaker {
  using Made = std::unique_ptr<const TokenSource>;
  bool exchanges_signatures;

  Made operator()(const AnonymousAccess&) const { return nullptr; }
  Made operator()(const ApplicationDefault&) const { return nullptr; }
  Made operator()(const FixedToken& token) const { return std::make_unique<FixedTokenSource>(token); }
  Made operator()(const ServiceAccountKey& key) const {
    const bool is_exchanged = exchanges_signatures || IsLoopback(key.token_uri);
    return Fetched(is_exchanged ? ForAssertionOf(key) : SignedBy(key));
  }
  Made operator()(const AuthorizedUser& user) const { return Fetched(RefreshedBy(user)); }
  Made operator()(const ExternalAccount& account) const {
    auto own = Fetched(ExchangedFor(account));
    return account.impersonation ? Fetched(Impersonated(std::move(own), *account.impersonation)) : std::move(own);
  }
  Made operator()(const ImpersonatedServiceAccount& account) const {
    return Fetched(Impersonated(MakeTokenSource(*account.source, exchanges_signatures), account.impersonation));
  }
  Made operator()(const MetadataServer& server) const { return Fetched(OfMachine(server)); }

  static Made Fetched(FetchToken fetch) { return std::make_unique<FetchedTokens>(std::move(fetch)); }
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
