#pragma once

#include <string_view>

#include "client/client_core.h"
#include "retry/idempotency.h"

namespace gcsflux::internal {

/// Those of an operation's options that have any.
template <class Options>
Guards GuardsOf(const Options& options) {
  Guards guards;
  if constexpr (requires { options.generation; }) guards.generation = options.generation;
  if constexpr (requires { options.preconditions.if_generation_match; }) {
    guards.if_generation_match = options.preconditions.if_generation_match;
  }
  if constexpr (requires { options.preconditions.if_metageneration_match; }) {
    guards.if_metageneration_match = options.preconditions.if_metageneration_match;
  }
  return guards;
}

/// The call that an operation with these options is, repeated as they and the client's policy allow. `subject` is what
/// it is about, a bucket with an empty name; nothing of a bucket where that is empty too.
template <class Options>
Call MakeCall(const ClientCore& core, Operation operation, const ObjectName& subject, const Options& options) {
  const OperationTraits traits = TraitsOf(operation);
  const bool is_always = core.settings().idempotency != IdempotencyPolicy::kStrict;
  return {.operation = traits.operation,
          .subject = ToUri(subject),
          .kind = traits.kind,
          .bucket = subject.bucket,
          .is_idempotent = is_always || IsIdempotent(operation, GuardsOf(options)),
          .retry = options.call.retry,
          .stop = options.stop};
}

/// One of the calls that an upload is made of. Repeated freely: upload.h and multipart_upload.h see to it that this is
/// safe.
template <class Options>
Call MakeUploadCall(OperationName operation, const ObjectName& object, const Options& options) {
  return {.operation = operation,
          .subject = ToUri(object),
          .kind = OperationKind::kUpload,
          .bucket = object.bucket,
          .is_idempotent = true,
          .retry = options.call.retry,
          .stop = options.stop};
}

}  // namespace gcsflux::internal
