// The service answers with a status, and does nothing.

#include <memory>
#include <utility>

#include "faults/actions/action_kinds.h"
#include "faults/tools/status_response.h"

namespace gcsflux::emulator {
namespace {

class Status final : public Interceptor {
 public:
  static constexpr std::array<std::string_view, 1> kRequired = {"status"};
  static constexpr std::array<std::string_view, 3> kOptional = {"body", "contentType", "retryAfter"};

  Status(const FaultAction& action, std::shared_ptr<Firing> firing) : action_(action), firing_(std::move(firing)) {}

  std::optional<HttpResponse> Before(const RequestContext& context) override {
    if (!firing_->Fire()) return std::nullopt;
    return StatusResponse(action_, context.preview.is_xml);
  }

 private:
  const FaultAction action_;
  const std::shared_ptr<Firing> firing_;
};

std::optional<FieldComplaint> CheckStatus(const FaultAction& action) {
  if (action.body && !MayHaveBody(*action.status)) return FieldComplaint{"body", "is not for this status"};
  return std::nullopt;
}

}  // namespace

const ActionKind kStatus = {.type = "status",
                            .required = Status::kRequired,
                            .optional = Status::kOptional,
                            .make = &MakeA<Status>,
                            .check = &CheckStatus};

}  // namespace gcsflux::emulator
