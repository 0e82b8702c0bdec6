// An upload fails partway. A single request commits nothing; a session keeps the part of the chunk before the failure.

#include <algorithm>
#include <memory>
#include <utility>

#include "faults/actions/action_kinds.h"
#include "faults/tools/status_response.h"
#include "faults/tools/upload_filter.h"

namespace gcsflux::emulator {
namespace {

class FailingBody final : public UploadFilter {
 public:
  FailingBody(RequestBody& body, std::uint64_t after_bytes, Firing& firing, const RequestContext& context,
              bool& has_failed)
      : UploadFilter(body, context),
        after_bytes_(after_bytes),
        is_session_(IsSessionChunk(context.preview)),
        firing_(firing),
        has_failed_(has_failed) {}

  [[nodiscard]] std::optional<std::uint64_t> keeps_at_most() const override {
    const std::optional<std::uint64_t> others = UploadFilter::keeps_at_most();
    if (!has_failed_) return others;
    return std::min(after_bytes_ - std::min(after_bytes_, first()), others.value_or(UINT64_MAX));
  }

 private:
  // A session's chunk is read to its end, and kept in part. In a single request the body breaks off, so that nothing is
  // stored.
  bool OnBytes(std::span<std::byte> bytes, std::uint64_t offset) override {
    if (offset + bytes.size() >= after_bytes_ && firing_.Fire()) has_failed_ = true;
    return is_session_ || !has_failed_;
  }

  const std::uint64_t after_bytes_;
  const bool is_session_;
  Firing& firing_;
  bool& has_failed_;
};

class FailUpload final : public Interceptor {
 public:
  static constexpr std::array<std::string_view, 2> kRequired = {"afterBytes", "status"};
  static constexpr std::array<std::string_view, 3> kOptional = {"body", "contentType", "retryAfter"};

  FailUpload(const FaultAction& action, std::shared_ptr<Firing> firing) : action_(action), firing_(std::move(firing)) {}

  // From 0 bytes on: this also fails an empty upload, of which no byte is read.
  std::optional<HttpResponse> Before(const RequestContext& context) override {
    if (*action_.after_bytes != 0 || !CarriesObjectBytes(context.preview) || !firing_->Fire()) return std::nullopt;
    return StatusResponse(action_, context.preview.is_xml);
  }

  std::unique_ptr<RequestBody> Wrap(RequestBody& body, const RequestContext& context) override {
    if (!CarriesObjectBytes(context.preview)) return nullptr;
    return std::make_unique<FailingBody>(body, *action_.after_bytes, *firing_, context, has_failed_);
  }

  void After(HttpResponse& response, const RequestSubject& /*subject*/, const RequestContext& context) override {
    if (!has_failed_) return;
    HttpResponse failure = StatusResponse(action_, context.preview.is_xml);
    failure.filters = std::move(response.filters);  // of another rule's action
    failure.ending = response.ending;
    response = std::move(failure);
  }

 private:
  const FaultAction action_;
  const std::shared_ptr<Firing> firing_;
  bool has_failed_ = false;
};

}  // namespace

const ActionKind kFailUpload = {.type = "failUpload",
                                .required = FailUpload::kRequired,
                                .optional = FailUpload::kOptional,
                                .make = &MakeA<FailUpload>};

}  // namespace gcsflux::emulator
