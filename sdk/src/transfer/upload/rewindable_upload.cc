#include "transfer/upload/rewindable_upload.h"

#include <algorithm>

#include "base/process/no_time_limit.h"
#include "retry/transient.h"
#include "transfer/upload/insert_call.h"
#include "transfer/upload/single_request_upload.h"
#include "transfer/upload/upload_session.h"

namespace gcsflux::internal {
namespace {

// The upload of a source over as many sessions as it takes.
class RewindableUpload {
 public:
  RewindableUpload(const ClientCore& core, const ObjectName& object, const UploadSource& source,
                   std::size_t chunk_bytes, const InsertObjectOptions& insert)
      : observer_(core.observer()),
        source_(source),
        chunk_bytes_(chunk_bytes),
        session_(core, object, insert, source.size()),
        id_(core.NewInvocationId()) {}

  // Runs until the object is committed, or a request fails. A further call continues.
  Result<ObjectMetadata> Attempt(Attempts& attempts) {
    while (true) {
      const std::uint64_t offset = session_.position();
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(chunk_bytes_, source_.size() - offset));
      const UploadChunk whole{.offset = offset, .is_last = offset + count == source_.size()};
      if (whole.is_last) {
        if (auto checked = source_.CheckUnchanged(); !checked) return checked.error();
      }
      const auto data = source_.Read(offset, count, buffer_);
      if (!data) return data.error();
      const auto sent = session_.Send({offset, *data, whole.is_last}, id_, attempts);
      if (!furthest_ || session_.position() > furthest_->position) furthest_ = {session_.position(), attempts.now()};
      if (!sent) return sent.error().code == ErrorCode::kSessionLost ? StartOver(sent.error(), attempts) : sent.error();
      if (whole.is_last) return session_.Finish();
    }
  }

  void Cancel() { session_.Cancel(); }

 private:
  struct Mark {
    std::uint64_t position = 0;
    Timing::TimePoint at = {};
  };

  // Sessions that all break at the same place are given up when the deadline has passed since the first of them reached
  // it.
  Error StartOver(const Error& loss, const Attempts& attempts) {
    if (attempts.now() - furthest_->at >= InNanoseconds(attempts.options().deadline)) return loss;
    session_.StartOver();
    observer_.SessionRestarted();
    Error again = loss;
    again.code = ErrorCode::kUnavailable;
    return again;
  }

  Observer& observer_;
  const UploadSource& source_;
  const std::size_t chunk_bytes_;
  UploadSession session_;
  std::vector<std::byte> buffer_;
  const std::string id_;
  std::optional<Mark> furthest_;
};

}  // namespace

Result<ObjectMetadata> UploadRewindable(const ClientCore& core, const ObjectName& object, const UploadSource& source,
                                        const UploadOptions& options) {
  if (auto checked = CheckUpload(core, object, options); !checked)
    return InCall(InsertCall(object, options), checked.error());
  const std::size_t chunk_bytes = WholeQuanta(options.chunk_bytes);
  if (source.size() <= chunk_bytes) {
    std::vector<std::byte> buffer;
    const auto data = source.Read(0, static_cast<std::size_t>(source.size()), buffer);
    if (!data) return data.error();
    if (auto checked = source.CheckUnchanged(); !checked) return checked.error();
    return UploadInOneRequest(core, object, *data, options);
  }
  const Call call = InsertCall(object, options);
  RewindableUpload upload(core, object, source, chunk_bytes, FirstAttempt(options));
  auto stored = core.Retry(call, [&](Attempts& attempts) { return upload.Attempt(attempts); });
  // If the service does not answer, or the caller has stopped, no request is sent.
  const bool is_hopeless = !stored && (IsTransient(stored.error()) || stored.error().code == ErrorCode::kCancelled);
  if (!stored && !is_hopeless) upload.Cancel();
  return stored;
}

}  // namespace gcsflux::internal
