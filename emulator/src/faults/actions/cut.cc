// The answer breaks off within its body.

#include <memory>
#include <utility>

#include "faults/actions/action_kinds.h"
#include "faults/tools/body_size.h"

namespace gcsflux::emulator {
namespace {

// Passes the first bytes on, and no more.
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

class Cut final : public Intervention {
 public:
  static constexpr std::array<std::string_view, 1> kRequired = {"afterBytes"};
  static constexpr std::array<std::string_view, 1> kOptional = {"resets"};

  Cut(const FaultAction& action, std::shared_ptr<Firing> firing) : action_(action), firing_(std::move(firing)) {}

  // How the connection ends must be said now. If it is not known whether the body is long enough, the connection is
  // closed.
  void After(HttpResponse& response, const RequestSubject& /*subject*/, const Passage& passage) override {
    const std::optional<std::uint64_t> size = BodySize(response);
    if (passage.request.method == "HEAD" || (size && *size <= *action_.after_bytes)) return;
    if (size && !firing_->Fire()) return;
    if (size && action_.resets == true) response.ending = Ending::kReset;
    response.filters.push_back(std::make_shared<CutFilter>(*action_.after_bytes, firing_));
  }

 private:
  const FaultAction action_;
  const std::shared_ptr<Firing> firing_;
};

}  // namespace

const ActionKind kCut = {.type = "cut", .required = Cut::kRequired, .optional = Cut::kOptional, .make = &MakeA<Cut>};

}  // namespace gcsflux::emulator
