#include "auth/external_account_source.h"

#include <utility>

#include "auth/find_credentials.h"
#include "auth/impersonation_source.h"
#include "auth/token_answers.h"

namespace gcsflux::internal {
namespace {

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

class StsSource : public TokenSource {
 public:
  explicit StsSource(ExternalAccount account) : account_(std::move(account)) {}

  Result<AccessToken> Fetch(const TokenContext& context) const override {
    const SubjectTokenSource& source = account_.source;
    const auto subject_token = source.url.empty() ? SubjectTokenOfFile(source) : SubjectTokenOfUrl(context, source);
    if (!subject_token) return subject_token.error();
    const auto now = context.timing.SystemNow();
    const auto response = SendTokenRequest(context, ExchangeRequest(account_, *subject_token));
    if (!response) return response.error();
    auto token = ParseTokenAnswer(*response, now);
    return token ? token : NoTokenFrom(account_.token_url, token.error());
  }

 private:
  const ExternalAccount account_;
};

}  // namespace

std::unique_ptr<const TokenSource> MakeExternalAccountSource(const ExternalAccount& account) {
  auto source = std::make_unique<StsSource>(account);
  if (!account.impersonation) return source;
  return MakeImpersonationSource(std::move(source), *account.impersonation);
}

}  // namespace gcsflux::internal
