// Client's methods that make an object from other objects.
#include <utility>

#include "base/object_name.h"
#include "base/tell_progress.h"
#include "client/operation_calls.h"
#include "gcsflux/client.h"
#include "wire/copy_requests.h"
#include "wire/metadata_json.h"
#include "wire/rewrite_steps.h"

namespace gcsflux {

using internal::CheckObject;
using internal::CheckOptions;
using internal::InCall;
using internal::MakeCall;
using internal::Operation;
using internal::ParseAnswer;
using internal::ParseObjectAnswer;

namespace {

// The service's own token was refused, so the source is another one than at the first request.
Error OfLaterRequest(Error error) {
  if (error.code != ErrorCode::kInvalidArgument) return error;
  error.code = ErrorCode::kAborted;
  error.message +=
      "; the source changed since the first request: copy it again (source_generation names what is copied)";
  return error;
}

bool HasOptionsOfRewrite(const CopyObjectOptions& options) {
  return options.max_bytes_per_request || !options.rewrite_token.empty() || options.on_progress;
}

// What CopyObject, RewriteObject and MoveObject check and have in common.
Result<internal::Call> CallOfCopy(const ClientCore& core, Operation operation, const ObjectName& source,
                                  const ObjectName& destination, const CopyObjectOptions& options) {
  if (auto checked = CheckObject(source); !checked) return checked.error();
  if (auto checked = CheckObject(destination); !checked) return checked.error();
  auto call = MakeCall(core, operation, destination, options);
  call.subject = ToUri(source) + " to " + call.subject;
  if (auto checked = CheckOptions(core, options); !checked) return InCall(call, checked.error());
  return call;
}

}  // namespace

Result<ObjectMetadata> Client::ComposeObjects(const std::vector<ComposeSource>& sources, const ObjectName& destination,
                                              const ComposeObjectsOptions& options) const {
  constexpr std::size_t kMaxSources = 32;  // https://cloud.google.com/storage/docs/composite-objects
  if (auto checked = CheckObject(destination); !checked) return checked.error();
  const auto call = MakeCall(core(), Operation::kComposeObjects, destination, options);
  if (auto checked = CheckOptions(core(), options); !checked) return InCall(call, checked.error());
  const Preconditions& conditions = options.preconditions;
  if (conditions.if_generation_not_match || conditions.if_metageneration_not_match) {
    return InCall(call, {ErrorCode::kInvalidArgument, "a compose takes no ..._not_match condition"});
  }
  if (sources.empty() || sources.size() > kMaxSources) {
    return InCall(call, {ErrorCode::kInvalidArgument, "takes 1 to 32 sources, not " + std::to_string(sources.size())});
  }
  for (const ComposeSource& source : sources) {
    if (auto checked = internal::CheckObjectName(source.name); !checked) return InCall(call, checked.error());
  }
  const auto request = internal::ComposeObjectsRequest(core().endpoint(), sources, destination, options);
  return ParseObjectAnswer(call, core().Exchange(call, request), internal::MadeBy(destination, options));
}

Result<ObjectMetadata> Client::CopyObject(const ObjectName& source, const ObjectName& destination,
                                          const CopyObjectOptions& options) const {
  const auto call = CallOfCopy(core(), Operation::kCopyObject, source, destination, options);
  if (!call) return call.error();
  if (HasOptionsOfRewrite(options)) {
    return InCall(*call, {ErrorCode::kInvalidArgument,
                          "max_bytes_per_request, rewrite_token and on_progress are only for RewriteObject"});
  }
  const auto request = internal::CopyObjectRequest(core().endpoint(), source, destination, options);
  return ParseObjectAnswer(*call, core().Exchange(*call, request), internal::MadeBy(destination, options));
}

Result<ObjectMetadata> Client::MoveObject(const ObjectName& source, const ObjectName& destination,
                                          const CopyObjectOptions& options) const {
  const auto call = CallOfCopy(core(), Operation::kMoveObject, source, destination, options);
  if (!call) return call.error();
  if (source.bucket != destination.bucket) {
    return InCall(*call, {ErrorCode::kInvalidArgument, "moves only within a bucket"});
  }
  const bool has_others = options.source_generation || options.attributes || options.source_encryption_key ||
                          options.encryption_key || options.kms_key_name || HasOptionsOfRewrite(options);
  if (has_others) return InCall(*call, {ErrorCode::kInvalidArgument, "a move takes only preconditions"});
  const auto request = internal::MoveObjectRequest(core().endpoint(), source, destination, options);
  return ParseObjectAnswer(*call, core().Exchange(*call, request), internal::MadeBy(destination, options));
}

Result<ObjectMetadata> Client::RewriteObject(const ObjectName& source, const ObjectName& destination,
                                             const CopyObjectOptions& options) const {
  auto call = CallOfCopy(core(), Operation::kRewriteObject, source, destination, options);
  if (!call) return call.error();
  const auto parse = [&](std::string_view body) {
    return internal::ParseRewriteStep(body, internal::MadeBy(destination, options));
  };
  std::string token = options.rewrite_token;
  internal::RewriteSteps steps;
  while (true) {
    // All steps of a rewrite are billed as one operation.
    if (!token.empty()) call->operation.billing = internal::BillingClass::kFree;
    const auto request = internal::RewriteObjectRequest(core().endpoint(), source, destination, options, token);
    auto step = ParseAnswer(*call, core().Exchange(*call, request), parse);
    if (!step) return token == options.rewrite_token ? step.error() : OfLaterRequest(step.error());
    if (auto told = internal::TellProgress(options.on_progress, step->progress); !told) {
      Error error = InCall(*call, told.error());
      if (step->object) error.outcome = WriteOutcome::kStored;
      return error;
    }
    if (step->object) return *std::move(step->object);
    if (auto checked = steps.Take(step->progress); !checked) return InCall(*call, checked.error());
    token = std::move(step->progress.rewrite_token);
  }
}

}  // namespace gcsflux
