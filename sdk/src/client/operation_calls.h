#pragma once

#include <string_view>

#include "client/client_core.h"
#include "http/transport.h"
#include "retry/idempotency.h"
#include "retry/retry_loop.h"
#include "wire/key_headers.h"
#include "wire/metadata_json.h"
#include "wire/object_resource.h"

// What the methods of a client have in common: the call that an operation is, the check of its options, what its answer
// says, and a delete.
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

/// kInvalidArgument where a key would travel in the clear, or an attribute cannot be one.
template <class Options>
Result<void> CheckOptions(const ClientCore& core, const Options& options) {
  if (auto checked = CheckKeyTravels(core.endpoint(), options.encryption_key); !checked) return checked;
  if constexpr (requires { options.source_encryption_key; }) {
    if (auto checked = CheckKeyTravels(core.endpoint(), options.source_encryption_key); !checked) return checked;
  }
  if constexpr (requires { options.attributes->metadata; }) {
    if (options.attributes) return CheckAttributes(*options.attributes);
  } else if constexpr (requires { options.attributes.metadata; }) {
    return CheckAttributes(options.attributes);
  }
  return {};
}

/// An answer's body as a T, the failure to read it told like any other of the call.
template <class Parse>
auto ParseAnswer(const Call& call, const Result<HttpResponse>& response, Parse parse)
    -> decltype(parse(std::string_view())) {
  if (!response) return response.error();
  auto value = parse(response->body);
  if (!value) return InCall(call, value.error());
  return value;
}

/// The same as an object, which must be the one that was asked for.
inline Result<ObjectMetadata> ParseObjectAnswer(const Call& call, const Result<HttpResponse>& response,
                                                const AskedObject& asked) {
  return ParseAnswer(call, response, [&](std::string_view body) { return ParseObject(body, asked); });
}

/// By the options of a call on one object, its generation where they name one.
template <class Options>
AskedObject AskedBy(const ObjectName& object, const Options& options) {
  return {object, options.generation ? options.generation : options.preconditions.if_generation_match};
}

/// Sends a delete, retried. One whose own earlier attempt may have gone through takes "it is gone" for its success.
/// `conflict` is what a 409 with that reason means.
inline Result<void> ExchangeDelete(const ClientCore& core, const Call& call, const HttpRequest& request,
                                   ErrorCode conflict = ErrorCode::kAlreadyExists) {
  const std::string id = core.NewInvocationId();
  const auto response = core.Retry(call, [&](Attempts& attempts) {
    auto answer = core.Send({request, id, attempts});
    const int status = answer ? 0 : answer.error().http_status;
    if ((status == 404 || status == 412) && attempts.was_ambiguous()) return Result<HttpResponse>(HttpResponse{});
    if (status != 409 || answer.error().reason != "conflict") return answer;
    Error error = answer.error();
    error.code = conflict;
    return Result<HttpResponse>(error);
  });
  if (!response) return response.error();
  return {};
}

}  // namespace gcsflux::internal
