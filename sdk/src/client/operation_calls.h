#pragma once

#include <string_view>

#include "client/client_core.h"
#include "http/transport.h"
#include "retry/idempotency.h"
#include "retry/retry_loop.h"
#include "wire/key_headers.h"
#include "wire/metadata_json.h"
#include "wire/object_resource.h"

// What the methods of a client have in common: the description of a call, the check of its options, the parsing of its
// answer, and a delete.
namespace gcsflux::internal {

/// Whether the operation may be sent again with these options, some of which have preconditions or a generation.
template <class Options>
bool IsIdempotentWith(Operation operation, const Options& options) {
  if constexpr (requires {
                  options.preconditions;
                  options.generation;
                }) {
    return IsIdempotent(operation, options.preconditions, options.generation);
  } else if constexpr (requires { options.preconditions; }) {
    return IsIdempotent(operation, options.preconditions);
  } else {
    return IsIdempotent(operation, {});
  }
}

/// Describes an operation as a Call. It is retried as the options and the client's policy allow. `subject` is the
/// object, or with an empty name the bucket; if both are empty, the call is about no bucket.
template <class Options>
Call MakeCall(const ClientCore& core, Operation operation, const ObjectName& subject, const Options& options) {
  const OperationTraits traits = TraitsOf(operation);
  const bool is_always = core.settings().idempotency != IdempotencyPolicy::kStrict;
  return {.operation = traits.operation,
          .subject = ToUri(subject),
          .kind = traits.kind,
          .bucket = subject.bucket,
          .is_idempotent = is_always || IsIdempotentWith(operation, options),
          .retry = options.call.retry,
          .stop = options.stop};
}

/// Describes one of the calls of an upload. It is always retried: upload.h and multipart_upload.h say why this is safe.
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

/// Returns kInvalidArgument if a key would be sent unencrypted, or an attribute is invalid.
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

/// Parses an answer's body. A parse failure is reported as a failure of the call; a write may have been stored then.
template <class Parse>
auto ParseAnswer(const Call& call, const Result<HttpResponse>& response, Parse parse)
    -> decltype(parse(std::string_view())) {
  if (!response) return response.error();
  auto value = parse(response->body);
  if (value) return value;
  Error error = InCall(call, value.error());
  if (IsWrite(call.kind)) error.outcome = WriteOutcome::kUnknown;
  return error;
}

/// Parses an object, which must be the requested one.
inline Result<ObjectMetadata> ParseObjectAnswer(const Call& call, const Result<HttpResponse>& response,
                                                const AskedObject& asked) {
  return ParseAnswer(call, response, [&](std::string_view body) { return ParseObject(body, asked); });
}

/// For a call on one object: checks also the generation that its options name.
template <class Options>
AskedObject AskedBy(const ObjectName& object, const Options& options) {
  return {object, options.generation ? options.generation : options.preconditions.if_generation_match,
          AsksForSize(options.fields)};
}

/// For a call that makes an object.
template <class Options>
AskedObject MadeBy(const ObjectName& object, const Options& options) {
  return {.object = object, .has_size = AsksForSize(options.fields)};
}

/// Sends a delete, retried. If an earlier attempt may have succeeded, "not found" counts as success. `conflict` is the
/// error for a 409 with that reason.
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
  return ParseAnswer(call, response, ParseNothing);
}

}  // namespace gcsflux::internal
