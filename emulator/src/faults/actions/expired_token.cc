// The client's access token is said to have expired.

#include <memory>
#include <utility>

#include "faults/actions/action_kinds.h"
#include "faults/tools/status_response.h"

namespace gcsflux::emulator {
namespace {

class ExpiredToken final : public Interceptor {
 public:
  static constexpr std::array<std::string_view, 2> kOptional = {"body", "contentType"};

  ExpiredToken(const FaultAction& action, std::shared_ptr<Firing> firing)
      : action_(action), firing_(std::move(firing)) {
    action_.status = 401;
  }

  std::optional<HttpResponse> Before(const RequestContext& context) override {
    if (!firing_->Fire()) return std::nullopt;
    HttpResponse response = StatusResponse(action_, context.preview.is_xml);
    response.headers.Add("WWW-Authenticate",
                         "Bearer realm=\"https://accounts.google.com/\", error=\"invalid_token\"");  // RFC 6750
    return response;
  }

 private:
  FaultAction action_;
  const std::shared_ptr<Firing> firing_;
};

}  // namespace

const ActionKind kExpiredToken = {
    .type = "expiredToken", .optional = ExpiredToken::kOptional, .make = &MakeA<ExpiredToken>};

}  // namespace gcsflux::emulator
