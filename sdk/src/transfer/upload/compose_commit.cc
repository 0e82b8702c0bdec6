#include "transfer/upload/compose_commit.h"

#include <string>

#include "client/operation_calls.h"
#include "transfer/upload/guarded_commit.h"
#include "wire/copy_requests.h"
#include "wire/metadata_json.h"

namespace gcsflux::internal {
namespace {

Error SourceGone(Error error, const ObjectName& temporary) {
  error.code = ErrorCode::kAborted;
  error.message +=
      "; gs://" + temporary.bucket + "/" + temporary.name + " was deleted by another before it was committed";
  return error;
}

}  // namespace

Result<ObjectMetadata> CommitByCompose(const ClientCore& core, const StagedObject& staged, const UploadOptions& options,
                                       bool deletes_temporary) {
  const auto compose = [&](const Preconditions& preconditions, const std::string& id,
                           Attempts& attempts) -> Result<ObjectMetadata> {
    const ComposeObjectsOptions of_attempt{.preconditions = {.if_generation_match = preconditions.if_generation_match},
                                           .attributes = options.attributes,
                                           .encryption_key = options.encryption_key,
                                           .kms_key_name = options.kms_key_name,
                                           .delete_source_objects = deletes_temporary,
                                           .call = options.call};
    const auto request = ComposeObjectsRequest(
        core.endpoint(), {{.name = staged.temporary.name, .generation = staged.generation}}, staged.object, of_attempt);
    const auto response = core.Send({request, id, attempts});
    const bool is_gone = !response && response.error().code == ErrorCode::kNotFound;
    if (is_gone && !attempts.was_ambiguous()) return SourceGone(response.error(), staged.temporary);
    if (!response) return response.error();
    auto stored = ParseObject(response->body, {staged.object});
    if (!stored) return stored;
    return CheckStored(core, *stored, staged.sent, options.call, attempts.call().stop);
  };
  GuardedCommit commit(core, staged.object, staged.sent, options, /*consumes_source=*/true);
  return core.Retry(MakeUploadCall("objects.compose", staged.object, options),
                    [&](Attempts& attempts) { return commit.Attempt(attempts, compose); });
}

}  // namespace gcsflux::internal
