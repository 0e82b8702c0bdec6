#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "base/crc32c.h"
#include "base/object_name.h"
#include "client/client_core.h"
#include "gcsflux/upload.h"
#include "retry/transient.h"
#include "transfer/upload_conditions.h"
#include "wire/insert_requests.h"
#include "wire/resumable_upload.h"

namespace gcsflux {

using internal::Attempts;
using internal::Call;
using internal::HttpResponse;
using internal::IsTransient;
using internal::kUploadQuantum;
using internal::ResumableUpload;

class ObjectWriter::Upload {
 public:
  Upload(Client client, ObjectName object, UploadOptions options)
      : client_(std::move(client)), object_(std::move(object)), options_(std::move(options)) {
    const std::size_t quanta = std::max<std::size_t>(1, (options_.chunk_bytes + kUploadQuantum - 1) / kUploadQuantum);
    options_.chunk_bytes = quanta * kUploadQuantum;
    if (auto checked = internal::CheckObject(object_); !checked) error_ = checked.error();
  }

  ~Upload() { Cancel(); }
  Upload(const Upload&) = delete;
  Upload& operator=(const Upload&) = delete;

  Result<void> Write(std::span<const std::byte> data) {
    while (!error_ && !data.empty()) {
      if (is_closed_)
        return Error{ErrorCode::kInvalidArgument, "written to after Close() or Cancel(): " + ToUri(object_)};
      // A chunk is sent only once more bytes follow it: the last one must be sent as such.
      if (buffer_.size() == options_.chunk_bytes)
        SendBuffer(/*is_last=*/false);
      else if (buffer_.empty() && data.size() > options_.chunk_bytes)
        data = SendFrom(data);
      else
        data = Keep(data);
    }
    return Status();
  }

  Result<ObjectMetadata> Close() {
    if (error_) return *error_;
    if (is_closed_) return Error{ErrorCode::kInvalidArgument, "closed before: " + ToUri(object_)};
    is_closed_ = true;
    if (!session_) return CloseInOneRequest();
    SendBuffer(/*is_last=*/true);
    if (error_) return *error_;
    return Verified(*session_->object());
  }

  void Cancel() {
    is_closed_ = true;
    if (!session_ || session_->object()) return;
    // Best effort: a session that stays behind expires in a week and was never visible. So nobody waits for a service
    // that does not answer, or when the caller has asked to stop.
    if (error_ && (IsTransient(*error_) || error_->code == ErrorCode::kCancelled)) return;
    static_cast<void>(SendOnce(session_->CancelRequest()));
    session_.reset();
  }

 private:
  Result<void> Status() const {
    if (error_) return *error_;
    return {};
  }

  // Copies what fits into the buffer; returns the rest.
  std::span<const std::byte> Keep(std::span<const std::byte> data) {
    if (buffer_.capacity() == 0) buffer_.reserve(std::min(options_.chunk_bytes, std::max(data.size(), kUploadQuantum)));
    const auto taken = data.first(std::min(data.size(), options_.chunk_bytes - buffer_.size()));
    buffer_.insert(buffer_.end(), taken.begin(), taken.end());
    return data.subspan(taken.size());
  }

  void SendBuffer(bool is_last) {
    SendChunk(buffer_, is_last);
    buffer_.clear();
  }

  // A whole chunk straight from the caller's memory; returns the rest.
  std::span<const std::byte> SendFrom(std::span<const std::byte> data) {
    SendChunk(data.first(options_.chunk_bytes), /*is_last=*/false);
    return data.subspan(options_.chunk_bytes);
  }

  Result<ObjectMetadata> CloseInOneRequest() {
    auto stored = UploadObject(client_, object_, buffer_, options_);
    if (!stored) error_ = stored.error();
    return stored;
  }

  // Sends `chunk`, which begins at persisted(), until the session holds all of it; with `is_last`, until it is
  // committed. A failure is left in error_.
  void SendChunk(std::span<const std::byte> chunk, bool is_last) {
    crc32c_ = internal::ExtendCrc32c(crc32c_, chunk);
    const Call call{.operation = "objects.insert",
                    .subject = ToUri(object_),
                    .kind = internal::OperationKind::kUpload,
                    .bucket = object_.bucket,
                    .is_idempotent = true,
                    .retry = options_.call.retry,
                    .stop = options_.stop};
    const std::string id = core().NewInvocationId();
    const std::uint64_t base = session_ ? session_->persisted() : 0;
    const auto done = core().Retry(call, [&](Attempts& attempts) -> Result<void> {
      if (!session_) {
        if (auto started = Start(id, attempts); !started) return started;
      }
      while (!IsDone(base + chunk.size(), is_last)) {
        const auto unsent = chunk.subspan(static_cast<std::size_t>(session_->persisted() - base));
        if (auto step = Step(unsent, is_last, id, attempts); !step) return step;
      }
      return {};
    });
    if (!done) error_ = done.error();
  }

  [[nodiscard]] bool IsDone(std::uint64_t end, bool is_last) const {
    return session_->object() || (!is_last && session_->persisted() == end);
  }

  Result<void> Step(std::span<const std::byte> unsent, bool is_last, const std::string& id, Attempts& attempts) {
    const std::uint64_t before = session_->persisted();
    const auto response = core().SendRaw(session_->Next(unsent, is_last, crc32c_), id, attempts, options_.stop);
    if (!response) {
      session_->OnFailure();
      return response.error();
    }
    auto understood = session_->OnResponse(*response);
    if (session_->persisted() - before > unsent.size()) {
      return Error{ErrorCode::kBadResponse, "the session claims bytes that were never sent"};
    }
    if (session_->persisted() > before) attempts.NoteProgress();
    return understood;
  }

  // Starting a session makes nothing visible: it may be repeated freely, whatever the precondition.
  Result<void> Start(const std::string& id, Attempts& attempts) {
    const auto request = internal::StartUploadRequest(core().endpoint(), object_, internal::FirstAttempt(options_));
    const auto response = core().Send(request, id, attempts, options_.stop);
    if (!response) return response.error();
    const auto location = internal::FindHeader(response->headers, "location");
    if (!location.starts_with("http://") && !location.starts_with("https://")) {
      return Error{ErrorCode::kBadResponse, "the upload session has no Location"};
    }
    session_.emplace(std::string(location));
    return {};
  }

  // The service has checked x-goog-hash already; that is the same bytes seen from the other side.
  Result<ObjectMetadata> Verified(const ObjectMetadata& stored) {
    if (!stored.crc32c || *stored.crc32c == crc32c_) return stored;
    static_cast<void>(client_.DeleteObject(object_, {.generation = stored.generation, .call = options_.call}));
    error_ = Error{ErrorCode::kCorrupted,
                   "objects.insert " + ToUri(object_) + ": the service stored other bytes (crc32c); they were deleted"};
    return *error_;
  }

  Result<HttpResponse> SendOnce(const internal::HttpRequest& request) {
    const Call call{.operation = "uploads.cancel",
                    .subject = ToUri(object_),
                    .kind = internal::OperationKind::kUpload,
                    .bucket = object_.bucket};
    return core().Exchange(call, request);
  }

  [[nodiscard]] const ClientCore& core() const { return client_.core(); }

  const Client client_;
  const ObjectName object_;
  UploadOptions options_;
  std::vector<std::byte> buffer_;  // What is not sent yet, at most one chunk.
  std::optional<ResumableUpload> session_;
  std::uint32_t crc32c_ = 0;  // Of all that was given to SendChunk.
  bool is_closed_ = false;
  std::optional<Error> error_;
};

ObjectWriter::ObjectWriter(Client client, ObjectName object, UploadOptions options)
    : upload_(std::make_unique<Upload>(std::move(client), std::move(object), std::move(options))) {}
ObjectWriter::ObjectWriter(ObjectWriter&&) noexcept = default;
ObjectWriter& ObjectWriter::operator=(ObjectWriter&&) noexcept = default;
ObjectWriter::~ObjectWriter() = default;

Result<void> ObjectWriter::Write(std::span<const std::byte> data) { return upload_->Write(data); }
Result<ObjectMetadata> ObjectWriter::Close() { return upload_->Close(); }
void ObjectWriter::Cancel() { upload_->Cancel(); }

}  // namespace gcsflux
