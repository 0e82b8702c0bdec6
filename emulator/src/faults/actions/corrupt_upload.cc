// One bit of an upload is flipped before the service hashes it.

#include <memory>
#include <string>
#include <utility>

#include "faults/actions/action_kinds.h"
#include "faults/tools/upload_filter.h"
#include "http/target.h"

namespace gcsflux::emulator {
namespace {

// How many bytes the request's upload session has. It ignores these if they are sent again.
std::uint64_t PersistedBefore(const RequestContext& context) {
  const ApiResult<Target> target = ParseTarget(context.request.target);
  const std::string* id = target ? target->query.Find("upload_id") : nullptr;
  const auto session = id != nullptr ? context.sessions.Find(*id) : nullptr;
  return session != nullptr ? session->status().persisted : 0;
}

class CorruptedBody final : public UploadFilter {
 public:
  CorruptedBody(RequestBody& body, std::uint64_t at_byte, Firing& firing, const RequestContext& context)
      : UploadFilter(body, context), at_byte_(at_byte), firing_(firing), fired_(context.fired) {}

 private:
  bool OnBytes(std::span<std::byte> bytes, std::uint64_t offset) override {
    const bool is_here = at_byte_ >= offset && at_byte_ - offset < bytes.size();
    if (!is_here || fired_->HasChangedByte(at_byte_) || !firing_.Fire()) return true;
    fired_->AddChangedByte(at_byte_);
    bytes[static_cast<std::size_t>(at_byte_ - offset)] ^= std::byte(1);
    return true;
  }

  const std::uint64_t at_byte_;
  Firing& firing_;
  const std::shared_ptr<FiredFaults> fired_;
};

class CorruptUpload final : public Interceptor {
 public:
  static constexpr std::array<std::string_view, 1> kOptional = {"atByte"};

  CorruptUpload(const FaultAction& action, std::shared_ptr<Firing> firing)
      : at_byte_(action.at_byte.value_or(0)), firing_(std::move(firing)) {}

  std::unique_ptr<RequestBody> Wrap(RequestBody& body, const RequestContext& context) override {
    if (!CarriesObjectBytes(context.preview) || at_byte_ < PersistedBefore(context)) return nullptr;
    return std::make_unique<CorruptedBody>(body, at_byte_, *firing_, context);
  }

 private:
  const std::uint64_t at_byte_;
  const std::shared_ptr<Firing> firing_;
};

}  // namespace

const ActionKind kCorruptUpload = {
    .type = "corruptUpload", .optional = CorruptUpload::kOptional, .make = &MakeA<CorruptUpload>};

}  // namespace gcsflux::emulator
