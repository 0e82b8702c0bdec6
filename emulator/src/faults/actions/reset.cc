// The connection is reset before the operation, which does not run.

#include <memory>
#include <utility>

#include "faults/actions/action_kinds.h"

namespace gcsflux::emulator {
namespace {

class Reset final : public Interceptor {
 public:
  Reset(const FaultAction& /*action*/, std::shared_ptr<Firing> firing) : firing_(std::move(firing)) {}

  std::optional<HttpResponse> Before(const RequestContext& /*context*/) override {
    if (!firing_->Fire()) return std::nullopt;
    return HttpResponse{.ending = Ending::kSilence};
  }

 private:
  const std::shared_ptr<Firing> firing_;
};

}  // namespace

const ActionKind kReset = {.type = "reset", .make = &MakeA<Reset>};

}  // namespace gcsflux::emulator
