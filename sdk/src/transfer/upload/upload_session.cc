#include "transfer/upload/upload_session.h"

#include <algorithm>

#include "base/crc32c.h"
#include "base/process/run_with_time_limit.h"
#include "base/text/base64.h"
#include "retry/transient.h"
#include "transfer/upload/read_back.h"
#include "wire/insert_requests.h"
#include "wire/object_requests.h"

namespace gcsflux::internal {

UploadSession::UploadSession(const ClientCore& core, const UploadState& state, const InsertObjectOptions& options)
    : core_(core),
      object_name_(state.object),
      insert_{.encryption_key = options.encryption_key, .on_progress = options.on_progress, .call = options.call},
      is_resumed_(true),
      protocol_(ResumableUpload::Resumed(state.object, state.session_uri, state.persisted)),
      position_(state.persisted),
      crc32c_(state.crc32c),
      may_be_committed_(state.may_be_committed) {}

Result<void> UploadSession::Send(const UploadChunk& chunk, const std::string& id, Attempts& attempts) {
  while (true) {
    if (auto settled = Settle(id, attempts); !settled) return FindCommitted(settled.error(), id, attempts);
    TakeAcknowledged(chunk.data.subspan(static_cast<std::size_t>(position_ - chunk.offset)));
    const auto unsent = chunk.data.subspan(static_cast<std::size_t>(position_ - chunk.offset));
    if (object_ && unsent.empty()) return {};
    if (object_) {
      return Error{ErrorCode::kCorrupted, "another process completed the session, with fewer bytes"};
    }
    if (chunk.is_last && unsent.empty() && protocol_->persisted() > position_) {
      return Error{ErrorCode::kSessionLost, "the session holds more bytes than were written"};
    }
    const std::size_t whole = unsent.size() / kUploadQuantum * kUploadQuantum;
    if (!chunk.is_last && whole == 0) return {};
    auto sent = Exchange(chunk.is_last ? unsent : unsent.first(whole), chunk.is_last, id, attempts);
    TakeAcknowledged(unsent);
    if (!sent) return FindCommitted(sent.error(), id, attempts);
  }
}

Result<void> UploadSession::Settle(const std::string& id, Attempts& attempts) {
  if (object_) return {};
  if (may_be_committed_) attempts.SetMayBeStored(true);
  if (!protocol_) return Start(id, attempts);
  const bool is_end_a_question = may_be_committed_ && first_commit_;
  if (!protocol_->must_query() || is_end_a_question) return {};
  auto told = Exchange({}, /*is_last=*/false, id, attempts);
  const bool may_have_ended = !told && told.error().code == ErrorCode::kSessionLost && may_be_committed_;
  if (!may_have_ended) return told;
  return Error{.code = ErrorCode::kOutcomeUnknown,
               .message = "the session is gone, and the writer that had it before may have ended it",
               .outcome = WriteOutcome::kUnknown};
}

// Starting a session makes nothing visible, so it is retried freely with any precondition.
Result<void> UploadSession::Start(const std::string& id, Attempts& attempts) {
  const auto request = StartUploadRequest(core_.endpoint(), object_name_, insert_);
  const auto response = core_.Send({request, id, attempts});
  if (!response) return response.error();
  auto uri = SessionUri(*response, core_.endpoint());
  if (!uri) return uri.error();
  protocol_.emplace(object_name_, *std::move(uri));
  return {};
}

Result<void> UploadSession::Exchange(std::span<const std::byte> unsent, bool is_last, const std::string& id,
                                     Attempts& attempts) {
  const std::uint64_t before = protocol_->persisted();
  if (is_last) NoteLast(unsent, attempts);
  auto request = protocol_->Next(unsent, is_last, is_last ? whole_.crc32c : 0);
  if (insert_.on_progress && !request.payload.empty()) {
    request.on_sent = [this, before](std::uint64_t bytes) { insert_.on_progress({before + bytes, total_}); };
  }
  const auto response = core_.SendRaw({request, id, attempts});
  if (!response) {
    protocol_->OnFailure();
    may_be_committed_ = may_be_committed_ || is_last;
    return response.error();
  }
  auto understood = protocol_->OnResponse(*response);
  if (protocol_->persisted() > before) attempts.NoteProgress();
  object_ = protocol_->object();
  if (understood) may_be_committed_ = false;
  if (understood && !object_ && !has_looked_) attempts.SetMayBeStored(false);  // The session is not complete.
  if (!understood && is_last && IsAmbiguous(understood.error())) may_be_committed_ = true;
  return understood;
}

// `unsent` begins at position_. The bytes that the service already holds are not sent again.
void UploadSession::TakeAcknowledged(std::span<const std::byte> unsent) {
  if (!protocol_ || protocol_->persisted() <= position_) return;
  const auto count = std::min<std::uint64_t>(unsent.size(), protocol_->persisted() - position_);
  crc32c_ = ExtendCrc32c(crc32c_, unsent.first(static_cast<std::size_t>(count)));
  position_ += count;
}

void UploadSession::NoteLast(std::span<const std::byte> unsent, const Attempts& attempts) {
  has_sent_last_ = true;
  whole_ = {position_ + unsent.size(), ExtendCrc32c(crc32c_, unsent)};
  if (!first_commit_) first_commit_ = attempts.now();
}

// If the answer to the last chunk was lost, the session may be gone because the object is complete. For the same reason
// a precondition that held at the last look may fail.
Result<void> UploadSession::FindCommitted(const Error& loss, const std::string& id, Attempts& attempts) {
  const bool is_gone = loss.code == ErrorCode::kSessionLost && may_be_committed_;
  const bool is_refused = loss.code == ErrorCode::kPreconditionFailed && has_looked_;
  if (!is_gone && !is_refused) return loss;
  const OpenWrite write{.object = object_name_,
                        .insert = insert_,
                        .sent = whole_,
                        .first_attempt = *first_commit_,
                        .checks_attributes = !is_resumed_,
                        .guard = guard_};
  auto look = ReadBack(core_, write, id, attempts);
  if (!look) return look.error();
  return TakeReadBack(*std::move(look), loss);
}

Result<void> UploadSession::TakeReadBack(ReadBackResult look, const Error& loss) {
  may_be_committed_ = false;
  has_looked_ = true;
  if (look.step.kind == WriteStep::Kind::kUnknown) return OutcomeUnknown(look);
  if (look.step.kind == WriteStep::Kind::kStored) {
    position_ = whole_.size;
    crc32c_ = whole_.crc32c;
    object_ = std::move(look.live);
    return {};
  }
  guard_ = look.step.guard;
  insert_.preconditions.if_generation_match = guard_.generation;
  const bool is_final = loss.code == ErrorCode::kPreconditionFailed && !guard_.is_own;
  if (is_final) return loss;
  return Error{ErrorCode::kSessionLost, loss.message, loss.http_status, loss.reason};
}

Result<ObjectMetadata> UploadSession::Finish() {
  const bool is_right = object_->size == position_ && (!object_->crc32c || *object_->crc32c == crc32c_);
  if (!is_right && !has_sent_last_) {
    return Error{ErrorCode::kCorrupted, "another writer has completed the session, with other bytes"};
  }
  if (!is_right && protocol_ && protocol_->is_object_asked_for()) {
    return Error{
        .code = ErrorCode::kOutcomeUnknown,
        .message = "the session is complete, and generation " + std::to_string(object_->generation) +
                   " holds other bytes: the service stored them wrongly, or another writer has replaced the object; "
                   "it was left as it is",
        .outcome = WriteOutcome::kUnknown};
  }
  return CheckStored(core_, *object_, {position_, crc32c_}, insert_.call, insert_.stop);
}

void UploadSession::StartOver() {
  protocol_.reset();
  position_ = 0;
  crc32c_ = 0;
}

UploadState UploadSession::state() const {
  return {.endpoint = core_.endpoint(),
          .object = object_name_,
          .session_uri = protocol_->session_uri(),
          .persisted = position_,
          .crc32c = crc32c_,
          .may_be_committed = may_be_committed_};
}

void UploadSession::Cancel() {
  if (!protocol_ || object_ || !owner_.IsCurrent()) return;
  RunWithTimeLimit([this](std::stop_token stop) {
    const Call call{.operation = "uploads.cancel",
                    .subject = ToUri(object_name_),
                    .kind = OperationKind::kUpload,
                    .bucket = object_name_.bucket,
                    .stop = std::move(stop)};
    static_cast<void>(core_.Exchange(call, protocol_->CancelRequest()));
  });
  protocol_.reset();
}

}  // namespace gcsflux::internal
