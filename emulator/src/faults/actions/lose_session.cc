// An upload session disappears partway, with everything that it kept.

#include <memory>
#include <utility>

#include "faults/actions/action_kinds.h"
#include "faults/tools/status_response.h"
#include "http/target.h"

namespace gcsflux::emulator {
namespace {

class LoseSession final : public Interceptor {
 public:
  static constexpr std::array<std::string_view, 3> kOptional = {"status", "body", "contentType"};

  LoseSession(const FaultAction& action, std::shared_ptr<Firing> firing) : action_(action), firing_(std::move(firing)) {
    if (!action_.status) action_.status = 410;
  }

  std::optional<HttpResponse> Before(const RequestContext& context) override {
    const auto target = ParseTarget(context.request.target);
    const std::string* id = target ? target->query.Find("upload_id") : nullptr;
    const auto session = id != nullptr ? context.sessions.Find(*id) : nullptr;
    if (session == nullptr || session->status().state != ResumableSession::State::kOpen) return std::nullopt;
    if (!firing_->Fire()) return std::nullopt;
    session->Cancel();  // another request may be using it
    context.sessions.Remove(*id);
    return StatusResponse(action_, context.preview.is_xml);
  }

 private:
  FaultAction action_;
  const std::shared_ptr<Firing> firing_;
};

std::optional<FieldComplaint> CheckLoseSession(const FaultAction& action) {
  if (!action.status || *action.status == 404 || *action.status == 410) return std::nullopt;
  return FieldComplaint{"status", "must be 404 or 410"};
}

}  // namespace

const ActionKind kLoseSession = {
    .type = "loseSession", .optional = LoseSession::kOptional, .make = &MakeA<LoseSession>, .check = &CheckLoseSession};

}  // namespace gcsflux::emulator
