#include "transfer/single_request_upload.h"

#include <utility>

#include "base/crc32c.h"
#include "transfer/read_back.h"
#include "transfer/upload_conditions.h"
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
        mode_(options.mode),
        insert_(FirstAttempt(options)),
        id_(core.NewInvocationId()) {}

  Result<ObjectMetadata> Attempt(Attempts& attempts) {
    if (attempts.was_ambiguous()) {
      auto found = ReadBack(core_, object_, insert_, id_, attempts);
      if (!found) return found.error();
      if (*found && HasBytes(**found, sent_) && HasAttributes(**found, insert_.attributes)) return **std::move(found);
      if (mode_ == WriteMode::kOverwrite) insert_.preconditions.if_generation_match = *found ? (*found)->generation : 0;
    }
    auto stored = Insert(attempts);
    const bool is_lost_race =
        !stored && stored.error().code == ErrorCode::kPreconditionFailed && mode_ == WriteMode::kOverwrite;
    // Between the read-back and now somebody wrote. An overwrite may replace that too, after another look.
    if (is_lost_race) return Error{ErrorCode::kUnavailable, stored.error().message, 412, stored.error().reason};
    return stored;
  }

 private:
  Result<ObjectMetadata> Insert(Attempts& attempts) {
    const auto request = InsertObjectRequest(core_.endpoint(), object_, data_, sent_.crc32c, insert_);
    const auto response = core_.Send(request, id_, attempts, attempts.call().stop);
    if (!response) return response.error();
    auto stored = ParseObject(response->body);
    if (stored && stored->crc32c && *stored->crc32c != sent_.crc32c) {
      return Error{ErrorCode::kCorrupted, "the service stored other bytes (crc32c)"};
    }
    return stored;
  }

  const ClientCore& core_;
  const ObjectName& object_;
  const std::span<const std::byte> data_;
  const SentObject sent_;
  const WriteMode mode_;
  InsertObjectOptions insert_;
  const std::string id_;
};

}  // namespace

Result<ObjectMetadata> UploadInOneRequest(const ClientCore& core, const ObjectName& object,
                                          std::span<const std::byte> data, const UploadOptions& options) {
  SingleRequestUpload upload(core, object, data, options);
  return core.Retry(InsertCall(object, options), [&](Attempts& attempts) { return upload.Attempt(attempts); });
}

}  // namespace gcsflux::internal
