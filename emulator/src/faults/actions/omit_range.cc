// The answer about an upload session's progress has no Range. That means that nothing is kept, which is not true.

#include <memory>
#include <utility>

#include "faults/actions/action_kinds.h"

namespace gcsflux::emulator {
namespace {

bool IsProgress(const HttpResponse& response) {
  return response.status == 308 || response.headers.Find("x-http-status-code-override") != nullptr;
}

class OmitRange final : public Interceptor {
 public:
  OmitRange(const FaultAction& /*action*/, std::shared_ptr<Firing> firing) : firing_(std::move(firing)) {}

  void After(HttpResponse& response, const RequestSubject& /*subject*/, const RequestContext& /*context*/) override {
    if (!IsProgress(response) || response.headers.Find("range") == nullptr || !firing_->Fire()) return;
    response.headers.Remove("range");
  }

 private:
  const std::shared_ptr<Firing> firing_;
};

}  // namespace

const ActionKind kOmitRange = {.type = "omitRange", .make = &MakeA<OmitRange>};

}  // namespace gcsflux::emulator
