#include "client/stored_object.h"

#include <string>

#include "base/text/base64.h"
#include "client/operation_calls.h"
#include "wire/object_requests.h"

namespace gcsflux::internal {
namespace {

// Deletes the generation, and says in a message what happened to it.
std::string Remove(const ClientCore& core, const ObjectMetadata& stored, const CallOptions& options,
                   const std::stop_token& stop) {
  const ObjectName object{stored.bucket, stored.name};
  const Call call{.operation = "objects.delete",
                  .subject = ToUri(object),
                  .kind = OperationKind::kWriteMetadata,
                  .bucket = object.bucket,
                  .is_idempotent = true,
                  .retry = options.retry,
                  .stop = stop};
  const auto deleted = ExchangeDelete(
      core, call, DeleteObjectRequest(core.endpoint(), object, {.generation = stored.generation, .call = options}));
  const std::string which = "generation " + std::to_string(stored.generation) + ", which holds them, ";
  if (deleted || deleted.error().code == ErrorCode::kNotFound) return which + "was deleted";
  return which + "is still there, since it could not be deleted (" + deleted.error().message + ")";
}

}  // namespace

Result<ObjectMetadata> CheckStored(const ClientCore& core, const ObjectMetadata& stored, const SentObject& sent,
                                   const CallOptions& call, const std::stop_token& stop) {
  if (stored.crc32c && *stored.crc32c != sent.crc32c) {
    return Error{.code = ErrorCode::kCorrupted,
                 .message = "the service stored other bytes (crc32c " + Crc32cToBase64(*stored.crc32c) + ", not " +
                            Crc32cToBase64(sent.crc32c) + "); " + Remove(core, stored, call, stop),
                 .outcome = WriteOutcome::kStored};
  }
  if (stored.size == sent.size) return stored;
  return Error{.code = ErrorCode::kBadResponse,
               .message = "the answer says that " + std::to_string(stored.size) + " bytes are stored as generation " +
                          std::to_string(stored.generation) + ", and " + std::to_string(sent.size) + " were sent",
               .outcome = WriteOutcome::kUnknown};
}

}  // namespace gcsflux::internal
