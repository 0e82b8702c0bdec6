#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/exceptions_as_errors.h"
#include "base/moved_from.h"
#include "base/object_name.h"
#include "base/process/fork.h"
#include "client/client_core.h"
#include "gcsflux/upload.h"
#include "retry/transient.h"
#include "transfer/upload/insert_call.h"
#include "transfer/upload/single_request_upload.h"
#include "transfer/upload/upload_session.h"
#include "wire/upload_state.h"

namespace gcsflux {

using internal::Attempts;
using internal::UploadPiece;
using internal::UploadSession;
using internal::UploadState;

namespace {

// Errors that keep the session: it may be continued later.
bool MayPass(const Error& error) {
  return internal::IsTransient(error) || error.code == ErrorCode::kCancelled ||
         error.code == ErrorCode::kTokenUnavailable;
}

}  // namespace

// Between calls the buffer holds the written bytes from the session's position() on: less than a quantum beyond the
// bytes sent, or less than the next chunk.
class ObjectWriter::Upload {
 public:
  Upload(Client client, ObjectName object, UploadOptions options)
      : client_(std::move(client)),
        object_(std::move(object)),
        options_(std::move(options)),
        session_(CoreOf(client_), object_, internal::FirstAttempt(options_)) {
    options_.chunk_bytes = internal::WholeQuanta(options_.chunk_bytes);
    const auto checked = internal::CheckUpload(CoreOf(client_), object_, options_);
    if (!checked) error_ = InCall(internal::InsertCall(object_, options_), checked.error());
  }

  Upload(Client client, const UploadState& state, UploadOptions options)
      : client_(std::move(client)),
        object_(state.object),
        options_(std::move(options)),
        session_(CoreOf(client_), state, internal::FirstAttempt(options_)) {
    options_.chunk_bytes = internal::WholeQuanta(static_cast<std::size_t>(state.chunk_bytes));
  }

  ~Upload() { Cancel(); }
  Upload(const Upload&) = delete;
  Upload& operator=(const Upload&) = delete;

  [[nodiscard]] std::uint64_t position() const { return session_.position() + buffer_.size(); }

  Result<void> Write(std::span<const std::byte> data) {
    if (made_in_.IsInChild()) return Forked();
    if (auto checked = internal::CheckBytes(object_, data); !checked) return checked;
    if (!error_ && is_closed_ && !data.empty()) return WasClosed();
    auto written = internal::ExceptionsAsErrors([&] { return WriteOn(data); });
    if (!written) error_ = written.error();  // How much of the data was taken is unknown to the caller.
    return written;
  }

  Result<ObjectMetadata> Close() {
    if (made_in_.IsInChild()) return Forked();
    if (error_) return *error_;
    if (is_closed_) return WasClosed();
    is_closed_ = true;
    const auto close = [this] {
      return session_.is_started() ? CloseSession()
                                   : internal::UploadInOneRequest(CoreOf(client_), object_, buffer_, options_);
    };
    auto stored = internal::ExceptionsAsErrors(close, WriteOutcome::kUnknown);
    if (!stored) {
      error_ = stored.error();
      is_closed_ = !session_.is_started() || !MayPass(*error_);  // Suspend() can save a session.
    }
    return stored;
  }

  Result<std::string> Suspend() {
    if (made_in_.IsInChild()) return Forked();
    if (is_closed_) return WasClosed();
    if (error_ && !MayPass(*error_)) return *error_;
    if (!session_.is_started()) {
      if (auto settled = Settle(); !settled) return settled.error();
    }
    is_closed_ = true;
    is_detached_ = true;
    UploadState state = session_.state();
    state.chunk_bytes = options_.chunk_bytes;
    return internal::FormatUploadState(state);
  }

  // Asks for the position of a resumed session, or starts one.
  Result<void> Settle() {
    const std::string id = CoreOf(client_).NewInvocationId();
    const auto call = internal::InsertCall(object_, options_);
    return CoreOf(client_).Retry(call, [&](Attempts& attempts) { return session_.Settle(id, attempts); });
  }

  void Cancel() {
    if (made_in_.IsInChild()) return;  // The session is the parent's.
    is_closed_ = true;
    // If the service does not answer, or the caller has stopped, no request is sent.
    if (is_detached_ || (error_ && MayPass(*error_))) return;
    session_.Cancel();
  }

  // Leaves the session to the owner of its state.
  void Detach() { is_detached_ = true; }

 private:
  Result<void> WriteOn(std::span<const std::byte> data) {
    while (!error_ && !data.empty()) {
      // A chunk is sent only when more bytes follow it, because the last one must be marked as such.
      if (buffer_.size() == options_.chunk_bytes)
        SendBuffer(/*is_last=*/false);
      else if (buffer_.empty() && data.size() > options_.chunk_bytes)
        data = data.subspan(SendPiece(data.first(options_.chunk_bytes), /*is_last=*/false));
      else
        data = Keep(data);
    }
    if (error_) return *error_;
    return {};
  }

  [[nodiscard]] Error Forked() const {
    return InCall(internal::InsertCall(object_, options_), internal::ForkedError("the upload"));
  }
  [[nodiscard]] Error WasClosed() const {
    return Error{ErrorCode::kInvalidArgument, "used after Close(), Suspend() or Cancel(): " + ToUri(object_)};
  }

  // Copies into the buffer what fits, and returns the rest.
  std::span<const std::byte> Keep(std::span<const std::byte> data) {
    constexpr std::size_t kLeast = internal::kUploadQuantum;
    const auto taken = data.first(std::min(data.size(), options_.chunk_bytes - buffer_.size()));
    if (buffer_.size() + taken.size() > buffer_.capacity()) {
      // Behind the first piece it reserves all at once: doubling would leave the memory of another chunk behind.
      buffer_.reserve(buffer_.empty() ? std::max(taken.size(), kLeast) : options_.chunk_bytes);
    }
    buffer_.insert(buffer_.end(), taken.begin(), taken.end());
    return data.subspan(taken.size());
  }

  // Bytes that the service did not keep in whole quanta stay for the next chunk.
  void SendBuffer(bool is_last) {
    const std::size_t sent = SendPiece(buffer_, is_last);
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(sent));
  }

  // How many bytes of `data`, which begins at the session's position, the service has acknowledged now. error_ holds a
  // failure.
  std::size_t SendPiece(std::span<const std::byte> data, bool is_last) {
    const UploadPiece piece{session_.position(), data, is_last};
    const auto call = internal::InsertCall(object_, options_);
    const std::string id = CoreOf(client_).NewInvocationId();
    const auto sent =
        CoreOf(client_).Retry(call, [&](Attempts& attempts) { return session_.Send(piece, id, attempts); });
    if (!sent) error_ = sent.error();
    return static_cast<std::size_t>(session_.position() - piece.offset);
  }

  Result<ObjectMetadata> CloseSession() {
    SendBuffer(/*is_last=*/true);
    if (error_) return *error_;
    auto stored = session_.Finish();
    if (!stored) return InCall(internal::InsertCall(object_, options_), stored.error());
    return stored;
  }

  const Client client_;
  const ObjectName object_;
  UploadOptions options_;
  UploadSession session_;
  std::vector<std::byte> buffer_;
  const internal::ProcessMark made_in_;
  bool is_closed_ = false;
  bool is_detached_ = false;
  std::optional<Error> error_;
};

ObjectWriter::ObjectWriter(Client client, ObjectName object, UploadOptions options)
    : upload_(std::make_unique<Upload>(std::move(client), std::move(object), std::move(options))) {}
ObjectWriter::ObjectWriter(std::unique_ptr<Upload> upload) : upload_(std::move(upload)) {}
ObjectWriter::ObjectWriter(ObjectWriter&&) noexcept = default;
ObjectWriter& ObjectWriter::operator=(ObjectWriter&&) noexcept = default;
ObjectWriter::~ObjectWriter() = default;

Result<ObjectWriter> ObjectWriter::Resume(Client client, std::string_view state, UploadOptions options) {
  const auto parsed = internal::ParseUploadState(state);
  if (!parsed) return parsed.error();
  const std::string& endpoint = CoreOf(client).endpoint();
  if (parsed->endpoint != endpoint || !internal::IsSessionUri(parsed->session_uri, endpoint)) {
    return Error{ErrorCode::kInvalidArgument, "the state of the suspended upload is one of another service than " +
                                                  endpoint + ", which this client talks to"};
  }
  if (auto checked = internal::CheckObject(parsed->object); !checked) return checked.error();
  auto upload = std::make_unique<Upload>(std::move(client), *parsed, std::move(options));
  if (auto settled = upload->Settle(); !settled) {
    upload->Detach();
    return settled.error();
  }
  return ObjectWriter(std::move(upload));
}

std::uint64_t ObjectWriter::position() const { return upload_ ? upload_->position() : 0; }
Result<void> ObjectWriter::Write(std::span<const std::byte> data) {
  if (!upload_) return internal::MovedFrom("ObjectWriter");
  return upload_->Write(data);
}
Result<ObjectMetadata> ObjectWriter::Close() {
  if (!upload_) return internal::MovedFrom("ObjectWriter");
  return upload_->Close();
}
Result<std::string> ObjectWriter::Suspend() {
  if (!upload_) return internal::MovedFrom("ObjectWriter");
  return internal::ExceptionsAsErrors([&] { return upload_->Suspend(); });
}
void ObjectWriter::Cancel() {
  if (upload_) upload_->Cancel();
}

}  // namespace gcsflux
