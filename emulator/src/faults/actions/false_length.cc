// The answer announces more or fewer bytes than it has.

#include <memory>
#include <utility>

#include "faults/actions/action_kinds.h"
#include "faults/tools/body_size.h"

namespace gcsflux::emulator {
namespace {

class FalseLength final : public Interceptor {
 public:
  static constexpr std::array<std::string_view, 1> kRequired = {"lengthDelta"};

  FalseLength(const FaultAction& action, std::shared_ptr<Firing> firing)
      : delta_(*action.length_delta), firing_(std::move(firing)) {}

  // The connection cannot be used again: where the next answer begins is unknown.
  void After(HttpResponse& response, const RequestSubject& /*subject*/, const RequestContext& context) override {
    const std::uint64_t size = BodySize(response).value_or(0);
    const std::uint64_t length = size + static_cast<std::uint64_t>(delta_);  // wraps around below 0
    const bool is_shorter = delta_ < 0;
    if (response.false_length) return;  // a cut body already has one
    if (size == 0 || (is_shorter && (length >= size || length == 0)) || context.request.method == "HEAD") return;
    if (!firing_->Fire()) return;
    response.false_length = length;
    response.ending = Ending::kClose;
  }

 private:
  const std::int64_t delta_;
  const std::shared_ptr<Firing> firing_;
};

std::optional<FieldComplaint> CheckFalseLength(const FaultAction& action) {
  constexpr std::int64_t kMost = std::int64_t{1} << 50;
  if (*action.length_delta != 0 && *action.length_delta >= -kMost && *action.length_delta <= kMost) return std::nullopt;
  return FieldComplaint{"lengthDelta", "must be -2^50 to 2^50, and not 0"};
}

}  // namespace

const ActionKind kFalseLength = {
    .type = "falseLength", .required = FalseLength::kRequired, .make = &MakeA<FalseLength>, .check = &CheckFalseLength};

}  // namespace gcsflux::emulator
