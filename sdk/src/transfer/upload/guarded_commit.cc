#include "transfer/upload/guarded_commit.h"

#include <utility>

#include "transfer/upload/insert_call.h"
#include "transfer/upload/read_back.h"

namespace gcsflux::internal {

GuardedCommit::GuardedCommit(const ClientCore& core, const ObjectName& object, SentObject sent,
                             const UploadOptions& options, bool consumes_source)
    : core_(core),
      object_(object),
      sent_(sent),
      consumes_source_(consumes_source),
      insert_(FirstAttempt(options)),
      guard_{.generation = insert_.preconditions.if_generation_match},
      id_(core.NewInvocationId()) {}

Result<ObjectMetadata> GuardedCommit::Attempt(Attempts& attempts, const Send& send) {
  if (attempts.was_ambiguous()) {
    auto found = FindStored(attempts, /*can_repeat=*/true);
    if (!found) return found.error();
    if (*found) return **std::move(found);
  }
  if (!first_attempt_) first_attempt_ = attempts.now();
  auto stored = send(insert_.preconditions, id_, attempts);
  const bool is_gone = consumes_source_ && !stored && stored.error().code == ErrorCode::kNotFound;
  const bool is_refused = !stored && stored.error().code == ErrorCode::kPreconditionFailed;
  if (!attempts.was_ambiguous() || (!is_gone && !is_refused)) return stored;
  // The object was written since the last look, or an earlier attempt of this call has consumed the source.
  auto found = FindStored(attempts, /*can_repeat=*/!is_gone);
  if (!found) return found.error();
  if (*found) return **std::move(found);
  if (!guard_.is_own) return stored;
  return Error{ErrorCode::kUnavailable, stored.error().message, 412, stored.error().reason};
}

// The object that an earlier attempt has stored. Nothing if it must be sent again, with the guard that this leaves.
Result<std::optional<ObjectMetadata>> GuardedCommit::FindStored(Attempts& attempts, bool can_repeat) {
  const OpenWrite write{
      .object = object_, .insert = insert_, .sent = sent_, .first_attempt = *first_attempt_, .guard = guard_};
  auto look = ReadBack(core_, write, id_, attempts);
  if (!look) return look.error();
  if (look->step.kind == WriteStep::Kind::kStored) return std::move(look->live);
  if (look->step.kind == WriteStep::Kind::kUnknown || !can_repeat) return OutcomeUnknown(*look);
  guard_ = look->step.guard;
  insert_.preconditions.if_generation_match = guard_.generation;
  return std::optional<ObjectMetadata>();
}

}  // namespace gcsflux::internal
