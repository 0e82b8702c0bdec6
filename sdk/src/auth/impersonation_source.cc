#include "auth/impersonation_source.h"

#include <utility>

#include "auth/token_answers.h"

namespace gcsflux::internal {
namespace {

class ImpersonationSource : public TokenSource {
 public:
  ImpersonationSource(std::unique_ptr<const TokenSource> base, Impersonation impersonation)
      : base_(std::move(base)), impersonation_(std::move(impersonation)) {}

  // The base's token is fetched each time: it is needed once in an hour, and would be as old as the token it is for.
  Result<AccessToken> Fetch(const TokenContext& context) const override {
    const auto own = base_->Fetch(context);
    if (!own) return own.error();
    const auto now = context.timing.SystemNow();
    const auto response = SendTokenRequest(context, ImpersonationRequest(impersonation_, own->text));
    if (!response) return response.error();
    auto token = ParseImpersonationAnswer(*response, now);
    return token ? token : NoTokenFrom(impersonation_.url, token.error());
  }

 private:
  const std::unique_ptr<const TokenSource> base_;
  const Impersonation impersonation_;
};

}  // namespace

std::unique_ptr<const TokenSource> MakeImpersonationSource(std::unique_ptr<const TokenSource> base,
                                                           Impersonation impersonation) {
  return std::make_unique<ImpersonationSource>(std::move(base), std::move(impersonation));
}

}  // namespace gcsflux::internal
