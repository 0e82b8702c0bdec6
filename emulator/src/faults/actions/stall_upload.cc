// The service stops reading an upload for a while, before it keeps anything of the request.

#include <memory>
#include <stop_token>
#include <utility>

#include "faults/actions/action_kinds.h"
#include "faults/tools/upload_filter.h"

namespace gcsflux::emulator {
namespace {

class StalledBody final : public UploadFilter {
 public:
  StalledBody(RequestBody& body, const FaultAction& action, Firing& firing, const RequestContext& context)
      : UploadFilter(body, context),
        after_bytes_(action.after_bytes.value_or(0)),
        duration_(*action.duration),
        firing_(firing),
        clock_(context.clock),
        stop_(context.stop) {}

 private:
  bool OnBytes(std::span<std::byte> bytes, std::uint64_t offset) override {
    const bool is_there = offset < after_bytes_ ? offset + bytes.size() >= after_bytes_ : offset + after_bytes_ == 0;
    return !is_there || !firing_.Fire() || clock_.WaitUntil(clock_.Now() + duration_, stop_);
  }

  const std::uint64_t after_bytes_;
  const std::chrono::nanoseconds duration_;
  Firing& firing_;
  const Clock& clock_;
  const std::stop_token& stop_;
};

class StallUpload final : public Interceptor {
 public:
  static constexpr std::array<std::string_view, 1> kRequired = {"duration"};
  static constexpr std::array<std::string_view, 1> kOptional = {"afterBytes"};

  StallUpload(const FaultAction& action, std::shared_ptr<Firing> firing)
      : action_(action), firing_(std::move(firing)) {}

  std::unique_ptr<RequestBody> Wrap(RequestBody& body, const RequestContext& context) override {
    if (!CarriesObjectBytes(context.preview)) return nullptr;
    return std::make_unique<StalledBody>(body, action_, *firing_, context);
  }

 private:
  const FaultAction action_;
  const std::shared_ptr<Firing> firing_;
};

}  // namespace

const ActionKind kStallUpload = {.type = "stallUpload",
                                 .required = StallUpload::kRequired,
                                 .optional = StallUpload::kOptional,
                                 .make = &MakeA<StallUpload>};

}  // namespace gcsflux::emulator
