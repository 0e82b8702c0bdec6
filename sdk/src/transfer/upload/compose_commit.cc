#include "transfer/upload/compose_commit.h"

#include <optional>
#include <string>
#include <utility>

#include "client/operation_calls.h"
#include "transfer/upload/insert_call.h"
#include "transfer/upload/read_back.h"
#include "wire/copy_requests.h"
#include "wire/metadata_json.h"

namespace gcsflux::internal {
namespace {

class ComposeCommit {
 public:
  ComposeCommit(const ClientCore& core, const StagedObject& staged, const UploadOptions& options,
                bool deletes_temporary)
      : core_(core),
        staged_(staged),
        insert_(FirstAttempt(options)),
        deletes_temporary_(deletes_temporary),
        guard_{.generation = insert_.preconditions.if_generation_match},
        id_(core.NewInvocationId()) {}

  Result<ObjectMetadata> Attempt(Attempts& attempts) {
    if (attempts.was_ambiguous()) {
      auto look = LookAtLive(attempts);
      if (!look) return look.error();
      if (look->step.kind == WriteStep::Kind::kStored) return *std::move(look->live);
    }
    if (!first_attempt_) first_attempt_ = attempts.now();
    auto stored = Compose(attempts);
    const bool is_gone = !stored && stored.error().code == ErrorCode::kNotFound;
    const bool is_refused = !stored && stored.error().code == ErrorCode::kPreconditionFailed;
    if (!attempts.was_ambiguous()) return is_gone ? Gone(stored.error()) : stored;
    if (!is_gone && !is_refused) return stored;
    // The object was written since the last look, or an earlier attempt has consumed the source.
    auto look = LookAtLive(attempts);
    if (!look) return look.error();
    if (look->step.kind == WriteStep::Kind::kStored) return *std::move(look->live);
    if (is_gone) return OutcomeUnknown(*look);
    if (!guard_.is_own) return stored;
    return Error{ErrorCode::kUnavailable, stored.error().message, 412, stored.error().reason};
  }

 private:
  Result<Look> LookAtLive(Attempts& attempts) {
    const OpenWrite write{.object = staged_.object,
                          .insert = insert_,
                          .sent = staged_.sent,
                          .first_attempt = *first_attempt_,
                          .guard = guard_};
    auto look = ReadBack(core_, write, id_, attempts);
    if (!look) return look;
    if (look->step.kind == WriteStep::Kind::kUnknown) return OutcomeUnknown(*look);
    guard_ = look->step.guard;
    return look;
  }

  Result<ObjectMetadata> Compose(Attempts& attempts) {
    const ComposeObjectsOptions options{.preconditions = {.if_generation_match = guard_.generation},
                                        .attributes = insert_.attributes,
                                        .encryption_key = insert_.encryption_key,
                                        .kms_key_name = insert_.kms_key_name,
                                        .delete_source_objects = deletes_temporary_,
                                        .call = insert_.call};
    const auto request =
        ComposeObjectsRequest(core_.endpoint(), {{.name = staged_.temporary.name, .generation = staged_.generation}},
                              staged_.object, options);
    const auto response = core_.Send({request, id_, attempts});
    if (!response) return response.error();
    auto stored = ParseObject(response->body, {staged_.object});
    if (!stored) return stored;
    return CheckStored(core_, *stored, staged_.sent, insert_.call, attempts.call().stop);
  }

  [[nodiscard]] Error Gone(Error error) const {
    error.code = ErrorCode::kAborted;
    error.message += "; gs://" + staged_.temporary.bucket + "/" + staged_.temporary.name +
                     " was deleted by another before it was committed";
    return error;
  }

  const ClientCore& core_;
  const StagedObject& staged_;
  const InsertObjectOptions insert_;
  const bool deletes_temporary_;
  WriteGuard guard_;
  const std::string id_;
  std::optional<Timing::TimePoint> first_attempt_;  // Nothing can have been stored before it.
};

}  // namespace

Result<ObjectMetadata> CommitByCompose(const ClientCore& core, const StagedObject& staged, const UploadOptions& options,
                                       bool deletes_temporary) {
  ComposeCommit commit(core, staged, options, deletes_temporary);
  return core.Retry(MakeUploadCall("objects.compose", staged.object, options),
                    [&](Attempts& attempts) { return commit.Attempt(attempts); });
}

}  // namespace gcsflux::internal
