// A load balancer answers instead of the service, with a page for people.

#include <memory>
#include <string>
#include <utility>

#include "faults/actions/action_kinds.h"
#include "faults/tools/status_response.h"

namespace gcsflux::emulator {
namespace {

std::string PageOf(std::uint64_t status) {
  return "<html><head>\n<meta http-equiv=\"content-type\" content=\"text/html;charset=utf-8\">\n<title>" +
         std::to_string(status) +
         " Server Error</title>\n</head>\n<body text=#000000 bgcolor=#ffffff>\n<h1>Error: Server Error</h1>\n"
         "<h2>The server encountered a temporary error and could not complete your request.<p>Please try again in 30 "
         "seconds.</h2>\n<h2></h2>\n</body></html>\n";
}

class HtmlError final : public Interceptor {
 public:
  static constexpr std::array<std::string_view, 3> kOptional = {"status", "body", "retryAfter"};

  HtmlError(const FaultAction& action, std::shared_ptr<Firing> firing) : action_(action), firing_(std::move(firing)) {
    if (!action_.status) action_.status = 502;
    if (!action_.body) action_.body = PageOf(*action_.status);
    action_.content_type = "text/html; charset=UTF-8";
  }

  std::optional<HttpResponse> Before(const RequestContext& context) override {
    if (!firing_->Fire()) return std::nullopt;
    return StatusResponse(action_, context.preview.is_xml);
  }

 private:
  FaultAction action_;
  const std::shared_ptr<Firing> firing_;
};

std::optional<FieldComplaint> CheckHtmlError(const FaultAction& action) {
  if (!action.status || *action.status >= 400) return std::nullopt;
  return FieldComplaint{"status", "must be 400 to 599"};
}

}  // namespace

const ActionKind kHtmlError = {
    .type = "htmlError", .optional = HtmlError::kOptional, .make = &MakeA<HtmlError>, .check = &CheckHtmlError};

}  // namespace gcsflux::emulator
