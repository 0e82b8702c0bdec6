#include "auth/metadata_source.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "auth/token_answers.h"

namespace gcsflux::internal {
namespace {

class MetadataSource : public TokenSource {
 public:
  explicit MetadataSource(MetadataServer server) : server_(std::move(server)) {}

  Result<AccessToken> Fetch(const TokenContext& context) const override {
    auto token = Ask(context);
    if (token) {
      has_answered_ = true;
      return token;
    }
    if (has_answered_ || token.error().code == ErrorCode::kCancelled) return token;
    return NobodyIsThere(token.error());
  }

 private:
  Result<AccessToken> Ask(TokenContext context) const {
    constexpr int kFirstAttempts = 3;  // A pod's own server can start some seconds later than the pod.
    if (!has_answered_) context.retry.max_attempts = std::min(context.retry.max_attempts, kFirstAttempts);
    const auto now = context.timing.SystemNow();
    const TokenRequest request = MetadataRequest(server_.host);
    const auto response = SendTokenRequest(context, request);
    if (!response) return response.error();
    auto token = ParseMetadataAnswer(*response, now);
    return token ? token : NoTokenFrom(request.http.url, token.error());
  }

  [[nodiscard]] Error NobodyIsThere(const Error& error) const {
    return {ErrorCode::kUnauthenticated,
            "no credentials: " + server_.looked_at + "; the metadata server gave none (" + error.message +
                "). Run `gcloud auth application-default login`, or let GOOGLE_APPLICATION_CREDENTIALS name a "
                "credential file; public data takes Credentials::Anonymous() or --credentials=anonymous"};
  }

  const MetadataServer server_;
  mutable std::atomic<bool> has_answered_ = false;
};

}  // namespace

std::unique_ptr<const TokenSource> MakeMetadataSource(const MetadataServer& server) {
  return std::make_unique<MetadataSource>(server);
}

}  // namespace gcsflux::internal
