// The service keeps less of a session's chunk than was sent, and says so.

#include <algorithm>
#include <memory>
#include <utility>

#include "faults/actions/action_kinds.h"
#include "faults/tools/upload_filter.h"

namespace gcsflux::emulator {
namespace {

class ShortBody final : public UploadFilter {
 public:
  ShortBody(RequestBody& body, std::uint64_t keep_bytes, Firing& firing, const RequestContext& context)
      : UploadFilter(body, context), keep_bytes_(keep_bytes), firing_(firing) {}

  [[nodiscard]] std::optional<std::uint64_t> keeps_at_most() const override {
    const std::optional<std::uint64_t> others = UploadFilter::keeps_at_most();
    return is_short_ ? std::min(keep_bytes_, others.value_or(UINT64_MAX)) : others;
  }

 private:
  bool OnBytes(std::span<std::byte> bytes, std::uint64_t offset) override {
    if (offset + bytes.size() - first() > keep_bytes_ && firing_.Fire()) is_short_ = true;
    return true;
  }

  const std::uint64_t keep_bytes_;
  Firing& firing_;
  bool is_short_ = false;
};

class ShortPersist final : public Interceptor {
 public:
  static constexpr std::array<std::string_view, 1> kRequired = {"keepBytes"};

  ShortPersist(const FaultAction& action, std::shared_ptr<Firing> firing)
      : keep_bytes_(*action.keep_bytes), firing_(std::move(firing)) {}

  std::unique_ptr<RequestBody> Wrap(RequestBody& body, const RequestContext& context) override {
    if (!IsSessionChunk(context.preview)) return nullptr;
    return std::make_unique<ShortBody>(body, keep_bytes_, *firing_, context);
  }

 private:
  const std::uint64_t keep_bytes_;
  const std::shared_ptr<Firing> firing_;
};

}  // namespace

const ActionKind kShortPersist = {
    .type = "shortPersist", .required = ShortPersist::kRequired, .make = &MakeA<ShortPersist>};

}  // namespace gcsflux::emulator
