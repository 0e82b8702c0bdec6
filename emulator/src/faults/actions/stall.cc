// The answer pauses: before its first byte, or in its body.

#include <memory>
#include <stop_token>
#include <utility>

#include "faults/actions/action_kinds.h"

namespace gcsflux::emulator {
namespace {

class StallFilter final : public BodyFilter {
 public:
  StallFilter(const FaultAction& action, std::shared_ptr<Firing> firing, const RequestContext& context)
      : left_(*action.after_bytes),
        duration_(*action.duration),
        firing_(std::move(firing)),
        clock_(context.clock),
        stop_(context.stop) {}

  bool Write(std::span<const std::byte> bytes, const ResponseSink& next) override {
    if (has_paused_ || bytes.size() <= left_) {
      left_ -= has_paused_ ? 0 : bytes.size();
      return next(bytes);
    }
    const std::span<const std::byte> first = bytes.first(static_cast<std::size_t>(left_));
    has_paused_ = true;
    if (!next(first)) return false;
    if (firing_->Fire() && !clock_.WaitUntil(clock_.Now() + duration_, stop_)) return false;
    return next(bytes.subspan(first.size()));
  }

 private:
  std::uint64_t left_;
  const std::chrono::nanoseconds duration_;
  const std::shared_ptr<Firing> firing_;
  const Clock& clock_;
  const std::stop_token stop_;
  bool has_paused_ = false;
};

class Stall final : public Interceptor {
 public:
  static constexpr std::array<std::string_view, 1> kRequired = {"duration"};
  static constexpr std::array<std::string_view, 1> kOptional = {"afterBytes"};

  Stall(const FaultAction& action, std::shared_ptr<Firing> firing) : action_(action), firing_(std::move(firing)) {}

  void After(HttpResponse& response, const RequestSubject& /*subject*/, const RequestContext& context) override {
    if (action_.after_bytes.value_or(0) != 0) {
      response.filters.push_back(std::make_shared<StallFilter>(action_, firing_, context));
    } else if (firing_->Fire()) {
      context.clock.WaitUntil(context.clock.Now() + *action_.duration, context.stop);
    }
  }

 private:
  const FaultAction action_;
  const std::shared_ptr<Firing> firing_;
};

}  // namespace

const ActionKind kStall = {
    .type = "stall", .required = Stall::kRequired, .optional = Stall::kOptional, .make = &MakeA<Stall>};

}  // namespace gcsflux::emulator
