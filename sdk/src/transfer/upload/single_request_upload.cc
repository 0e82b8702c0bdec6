#include "transfer/upload/single_request_upload.h"

#include <optional>
#include <utility>

#include "base/crc32c.h"
#include "transfer/upload/insert_call.h"
#include "transfer/upload/read_back.h"
#include "wire/insert_requests.h"
#include "wire/metadata_json.h"

namespace gcsflux::internal {
namespace {

class SingleRequestUpload {
 public:
  SingleRequestUpload(const ClientCore& core, const ObjectName& object, std::span<const std::byte> data,
                      const UploadOptions& options)
      : core_(core),
        object_(object),
        data_(data),
        sent_{data.size(), ExtendCrc32c(0, data)},
        insert_(FirstAttempt(options)),
        guard_{.generation = insert_.preconditions.if_generation_match},
        id_(core.NewInvocationId()) {}

  Result<ObjectMetadata> Attempt(Attempts& attempts) {
    if (attempts.was_ambiguous()) {
      auto found = FindStored(attempts);
      if (!found) return found.error();
      if (*found) return **std::move(found);
    }
    if (!first_attempt_) first_attempt_ = attempts.now();
    auto stored = Insert(attempts);
    const bool is_refused = !stored && stored.error().code == ErrorCode::kPreconditionFailed;
    if (!is_refused || !attempts.was_ambiguous()) return stored;
    // The object was written since the last look, perhaps by an earlier attempt of this call.
    auto found = FindStored(attempts);
    if (!found) return found.error();
    if (*found) return **std::move(found);
    if (!guard_.is_own) return stored;
    return Error{ErrorCode::kUnavailable, stored.error().message, 412, stored.error().reason};
  }

 private:
  // The object that an earlier attempt has stored. Nothing if it must be sent again, with the guard that this leaves.
  Result<std::optional<ObjectMetadata>> FindStored(Attempts& attempts) {
    const OpenWrite write{
        .object = object_, .insert = insert_, .sent = sent_, .first_attempt = *first_attempt_, .guard = guard_};
    auto look = ReadBack(core_, write, id_, attempts);
    if (!look) return look.error();
    if (look->step.kind == WriteStep::Kind::kUnknown) return OutcomeUnknown(*look);
    if (look->step.kind == WriteStep::Kind::kStored) return std::move(look->live);
    guard_ = look->step.guard;
    insert_.preconditions.if_generation_match = guard_.generation;
    return std::optional<ObjectMetadata>();
  }

  Result<ObjectMetadata> Insert(Attempts& attempts) {
    const auto request = InsertObjectRequest(core_.endpoint(), object_, data_, sent_.crc32c, insert_);
    const auto response = core_.Send({request, id_, attempts});
    if (!response) return response.error();
    auto stored = ParseObject(response->body, {object_});
    if (!stored) return stored;
    return CheckStored(core_, *stored, sent_, insert_.call, attempts.call().stop);
  }

  const ClientCore& core_;
  const ObjectName& object_;
  const std::span<const std::byte> data_;
  const SentObject sent_;
  InsertObjectOptions insert_;
  WriteGuard guard_;
  const std::string id_;
  std::optional<Timing::TimePoint> first_attempt_;
};

}  // namespace

Result<ObjectMetadata> UploadInOneRequest(const ClientCore& core, const ObjectName& object,
                                          std::span<const std::byte> data, const UploadOptions& options) {
  SingleRequestUpload upload(core, object, data, options);
  return core.Retry(InsertCall(object, options), [&](Attempts& attempts) { return upload.Attempt(attempts); });
}

}  // namespace gcsflux::internal
