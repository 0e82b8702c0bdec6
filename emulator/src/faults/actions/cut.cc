// The answer breaks off within its body.

#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "faults/actions/action_kinds.h"
#include "faults/tools/body_size.h"

namespace gcsflux::emulator {
namespace {

// Leaves the first bytes of an answer whose length is known, under that length. What is cut off is known to the actions
// that follow: they change nothing there.
void CutOff(HttpResponse& response, std::uint64_t size, std::uint64_t after_bytes) {
  response.false_length = size;
  if (auto* bytes = std::get_if<Rope>(&response.body)) *bytes = bytes->Slice(0, after_bytes);
  if (auto* text = std::get_if<std::string>(&response.body)) text->resize(static_cast<std::size_t>(after_bytes));
}

// Passes the first bytes of another answer on, and no more.
class CutFilter final : public BodyFilter {
 public:
  CutFilter(std::uint64_t after_bytes, std::shared_ptr<Firing> firing)
      : left_(after_bytes), firing_(std::move(firing)) {}

  bool Write(std::span<const std::byte> bytes, const ResponseSink& next) override {
    if (bytes.size() <= left_) {
      left_ -= bytes.size();
      return next(bytes);
    }
    if (!firing_->Fire()) {
      left_ = UINT64_MAX;
      return next(bytes);
    }
    next(bytes.first(static_cast<std::size_t>(left_)));
    return false;
  }

 private:
  std::uint64_t left_;
  const std::shared_ptr<Firing> firing_;
};

class Cut final : public Interceptor {
 public:
  static constexpr std::array<std::string_view, 1> kRequired = {"afterBytes"};
  static constexpr std::array<std::string_view, 1> kOptional = {"resets"};

  Cut(const FaultAction& action, std::shared_ptr<Firing> firing) : action_(action), firing_(std::move(firing)) {}

  // If it is not known whether the body is long enough, how the connection ends cannot be said now, and it is closed.
  void After(HttpResponse& response, const RequestSubject& /*subject*/, const RequestContext& context) override {
    const std::optional<std::uint64_t> size = BodySize(response);
    if (context.request.method == "HEAD" || (size && *size <= *action_.after_bytes)) return;
    if (!size) return response.filters.push_back(std::make_shared<CutFilter>(*action_.after_bytes, firing_));
    if (!firing_->Fire()) return;
    CutOff(response, response.false_length.value_or(*size), *action_.after_bytes);
    response.ending = action_.resets == true ? Ending::kReset : Ending::kClose;
  }

 private:
  const FaultAction action_;
  const std::shared_ptr<Firing> firing_;
};

}  // namespace

const ActionKind kCut = {.type = "cut", .required = Cut::kRequired, .optional = Cut::kOptional, .make = &MakeA<Cut>};

}  // namespace gcsflux::emulator
