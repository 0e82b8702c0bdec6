// The operation runs, and the connection is reset instead of its answer: a lost acknowledgement.

#include <memory>
#include <utility>

#include "faults/actions/action_kinds.h"

namespace gcsflux::emulator {
namespace {

class LoseAnswer final : public Interceptor {
 public:
  LoseAnswer(const FaultAction& /*action*/, std::shared_ptr<Firing> firing) : firing_(std::move(firing)) {}

  // A refusal acknowledges nothing.
  void After(HttpResponse& response, const RequestSubject& /*subject*/, const RequestContext& /*context*/) override {
    const bool is_success = response.status < 300 || response.status == 308;
    if (is_success && firing_->Fire()) response.ending = Ending::kSilence;
  }

 private:
  const std::shared_ptr<Firing> firing_;
};

}  // namespace

const ActionKind kLoseAnswer = {.type = "loseAnswer", .make = &MakeA<LoseAnswer>};

}  // namespace gcsflux::emulator
