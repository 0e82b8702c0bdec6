#include "transfer/upload/single_request_upload.h"

#include "base/crc32c.h"
#include "transfer/upload/guarded_commit.h"
#include "transfer/upload/insert_call.h"
#include "wire/insert_requests.h"
#include "wire/metadata_json.h"

namespace gcsflux::internal {

Result<ObjectMetadata> UploadInOneRequest(const ClientCore& core, const ObjectName& object,
                                          std::span<const std::byte> data, const UploadOptions& options) {
  const SentObject sent{data.size(), ExtendCrc32c(0, data)};
  const auto insert = [&](const Preconditions& preconditions, const std::string& id,
                          Attempts& attempts) -> Result<ObjectMetadata> {
    InsertObjectOptions of_attempt = FirstAttempt(options);
    of_attempt.preconditions = preconditions;
    const auto request = InsertObjectRequest(core.endpoint(), object, data, sent.crc32c, of_attempt);
    const auto response = core.Send({request, id, attempts});
    if (!response) return response.error();
    auto stored = ParseObject(response->body, {object});
    if (!stored) return stored;
    return CheckStored(core, *stored, sent, options.call, attempts.call().stop);
  };
  GuardedCommit commit(core, object, sent, options, /*consumes_source=*/false);
  return core.Retry(InsertCall(object, options), [&](Attempts& attempts) { return commit.Attempt(attempts, insert); });
}

}  // namespace gcsflux::internal
