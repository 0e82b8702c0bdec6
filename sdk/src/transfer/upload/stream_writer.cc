#include "transfer/upload/stream_writer.h"

#include <algorithm>
#include <utility>

#include "base/exceptions_as_errors.h"
#include "base/object_name.h"
#include "client/client_core.h"
#include "retry/transient.h"
#include "transfer/upload/insert_call.h"
#include "transfer/upload/single_request_upload.h"

namespace gcsflux::internal {
namespace {

// Errors that keep the session: it may be continued later.
bool MayPass(const Error& error) {
  return IsTransient(error) || error.code == ErrorCode::kCancelled || error.code == ErrorCode::kTokenUnavailable;
}

}  // namespace

StreamWriter::StreamWriter(Client client, ObjectName object, UploadOptions options)
    : client_(std::move(client)),
      object_(std::move(object)),
      options_(std::move(options)),
      session_(CoreOf(client_), object_, FirstAttempt(options_)) {
  options_.chunk_bytes = WholeQuanta(options_.chunk_bytes);
  const auto checked = CheckUpload(CoreOf(client_), object_, options_);
  if (!checked) error_ = InCall(InsertCall(object_, options_), checked.error());
}

StreamWriter::StreamWriter(Client client, const UploadState& state, UploadOptions options)
    : client_(std::move(client)),
      object_(state.object),
      options_(std::move(options)),
      session_(CoreOf(client_), state, FirstAttempt(options_)) {
  options_.chunk_bytes = WholeQuanta(static_cast<std::size_t>(state.chunk_bytes));
}

Result<std::unique_ptr<StreamWriter>> StreamWriter::Resume(Client client, std::string_view state,
                                                           UploadOptions options) {
  const auto parsed = ParseUploadState(state);
  if (!parsed) return parsed.error();
  const std::string& endpoint = CoreOf(client).endpoint();
  if (parsed->endpoint != endpoint || !IsSessionUri(parsed->session_uri, endpoint)) {
    return Error{ErrorCode::kInvalidArgument, "the state of the suspended upload is one of another service than " +
                                                  endpoint + ", which this client talks to"};
  }
  if (auto checked = CheckObject(parsed->object); !checked) return checked.error();
  auto writer = std::make_unique<StreamWriter>(std::move(client), *parsed, std::move(options));
  if (auto settled = writer->Settle(); !settled) {
    writer->is_detached_ = true;  // The session is left to the owner of its state.
    return settled.error();
  }
  return writer;
}

Result<void> StreamWriter::Write(std::span<const std::byte> data) {
  if (!owner_.IsCurrent()) return OfParent();
  if (auto checked = CheckBytes(object_, data); !checked) return checked;
  if (!error_ && is_closed_ && !data.empty()) return WasClosed();
  auto written = ExceptionsAsErrors([&] { return WriteOn(data); });
  if (!written) error_ = written.error();  // How much of the data was taken is unknown to the caller.
  return written;
}

Result<ObjectMetadata> StreamWriter::Close() {
  if (!owner_.IsCurrent()) return OfParent();
  if (error_) return *error_;
  if (is_closed_) return WasClosed();
  is_closed_ = true;
  const auto close = [this] {
    return session_.is_started() ? CloseSession() : UploadInOneRequest(CoreOf(client_), object_, buffer_, options_);
  };
  auto stored = ExceptionsAsErrors(close, WriteOutcome::kUnknown);
  if (!stored) {
    error_ = stored.error();
    is_closed_ = !session_.is_started() || !MayPass(*error_);  // Suspend() can save a session.
  }
  return stored;
}

Result<std::string> StreamWriter::Suspend() {
  if (!owner_.IsCurrent()) return OfParent();
  if (is_closed_) return WasClosed();
  if (error_ && !MayPass(*error_)) return *error_;
  if (!session_.is_started()) {
    if (auto settled = Settle(); !settled) return settled.error();
  }
  is_closed_ = true;
  is_detached_ = true;
  UploadState state = session_.state();
  state.chunk_bytes = options_.chunk_bytes;
  return FormatUploadState(state);
}

// Asks for the position of a resumed session, or starts one.
Result<void> StreamWriter::Settle() {
  const std::string id = CoreOf(client_).NewInvocationId();
  const auto call = InsertCall(object_, options_);
  return CoreOf(client_).Retry(call, [&](Attempts& attempts) { return session_.Settle(id, attempts); });
}

void StreamWriter::Cancel() {
  if (!owner_.IsCurrent()) return;  // The session is the parent's.
  is_closed_ = true;
  // If the service does not answer, or the caller has stopped, no request is sent.
  if (is_detached_ || (error_ && MayPass(*error_))) return;
  session_.Cancel();
}

Result<void> StreamWriter::WriteOn(std::span<const std::byte> data) {
  while (!error_ && !data.empty()) {
    // A chunk is sent only when more bytes follow it, because the last one must be marked as such.
    if (buffer_.size() == options_.chunk_bytes)
      SendBuffer(/*is_last=*/false);
    else if (buffer_.empty() && data.size() > options_.chunk_bytes)
      data = data.subspan(SendChunk(data.first(options_.chunk_bytes), /*is_last=*/false));
    else
      data = Keep(data);
  }
  if (error_) return *error_;
  return {};
}

Error StreamWriter::OfParent() const { return InCall(InsertCall(object_, options_), owner_.Refuse("the upload")); }
Error StreamWriter::WasClosed() const {
  return Error{ErrorCode::kInvalidArgument, "used after Close(), Suspend() or Cancel(): " + ToUri(object_)};
}

// Copies into the buffer what fits, and returns the rest.
std::span<const std::byte> StreamWriter::Keep(std::span<const std::byte> data) {
  constexpr std::size_t kLeast = kUploadQuantum;
  const auto taken = data.first(std::min(data.size(), options_.chunk_bytes - buffer_.size()));
  if (buffer_.size() + taken.size() > buffer_.capacity()) {
    // Behind the first chunk it reserves all at once: doubling would leave the memory of another chunk behind.
    buffer_.reserve(buffer_.empty() ? std::max(taken.size(), kLeast) : options_.chunk_bytes);
  }
  buffer_.insert(buffer_.end(), taken.begin(), taken.end());
  return data.subspan(taken.size());
}

// Bytes that the service did not keep in whole quanta stay for the next chunk.
void StreamWriter::SendBuffer(bool is_last) {
  const std::size_t sent = SendChunk(buffer_, is_last);
  buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(sent));
}

// How many bytes of `data`, which begins at the session's position, the service has acknowledged now. error_ holds a
// failure.
std::size_t StreamWriter::SendChunk(std::span<const std::byte> data, bool is_last) {
  const UploadChunk chunk{session_.position(), data, is_last};
  const auto call = InsertCall(object_, options_);
  const std::string id = CoreOf(client_).NewInvocationId();
  const auto sent = CoreOf(client_).Retry(call, [&](Attempts& attempts) { return session_.Send(chunk, id, attempts); });
  if (!sent) error_ = sent.error();
  return static_cast<std::size_t>(session_.position() - chunk.offset);
}

Result<ObjectMetadata> StreamWriter::CloseSession() {
  SendBuffer(/*is_last=*/true);
  if (error_) return *error_;
  auto stored = session_.Finish();
  if (!stored) return InCall(InsertCall(object_, options_), stored.error());
  return stored;
}

}  // namespace gcsflux::internal
