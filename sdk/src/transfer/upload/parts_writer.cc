#include "transfer/upload/parts_writer.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "base/exceptions_as_errors.h"
#include "base/object_name.h"
#include "base/tell_progress.h"
#include "client/client_core.h"
#include "transfer/upload/insert_call.h"
#include "transfer/upload/part_bytes.h"
#include "transfer/upload/single_request_upload.h"
#include "transfer/upload/write_path.h"

namespace gcsflux::internal {

PartsWriter::PartsWriter(Client client, ObjectName object, UploadOptions options)
    : client_(std::move(client)),
      object_(std::move(object)),
      options_(std::move(options)),
      buffers_(options_.part_memory_bytes),
      queue_(static_cast<std::uint64_t>(std::max(1, options_.max_concurrency))),
      parts_(client_, object_, options_, /*is_resumable=*/false) {
  Result<void> checked = CheckUpload(CoreOf(client_), object_, options_);
  if (checked) checked = CheckWriterOptions(options_);
  if (!checked) error_ = InCall(InsertCall(object_, options_), checked.error());
  if (!error_ && options_.path == WritePath::kOneStream) {
    report_ = {.path = WritePath::kOneStream, .reason = "one stream was asked for"};
    stream_ = std::make_unique<StreamWriter>(client_, object_, options_);
  }
}

PartsWriter::PartsWriter(Client client, std::unique_ptr<StreamWriter> stream)
    : client_(std::move(client)),
      buffers_(0),
      queue_(1),
      report_{.path = WritePath::kOneStream, .reason = "it continues a session"},
      stream_(std::move(stream)),
      parts_(client_, object_, options_, /*is_resumable=*/false) {}

PartsWriter::~PartsWriter() {
  static_cast<void>(ExceptionsAsErrors([this] { return Cancel(), Result<void>(); }));
}

Result<void> PartsWriter::CheckUsable() const {
  if (!owner_.IsCurrent()) return InCall(InsertCall(object_, options_), owner_.Refuse("the upload"));
  if (error_) return *error_;
  if (is_closed_) return Error{ErrorCode::kInvalidArgument, "used after Close() or Cancel(): " + ToUri(object_)};
  return {};
}

Result<void> PartsWriter::Write(std::span<const std::byte> data) {
  if (stream_) return stream_->Write(data);
  if (auto usable = CheckUsable(); !usable) return usable;
  if (auto checked = CheckBytes(object_, data); !checked) return checked;
  auto written = ExceptionsAsErrors([&] { return WriteOn(data); });
  if (written) written = TellProgress();
  if (written || stream_) return written;  // A stream keeps its errors itself.
  error_ = written.error();
  Cancel();
  return *error_;
}

Result<void> PartsWriter::WriteOn(std::span<const std::byte> data) {
  while (!data.empty()) {
    if (stream_) return stream_->Write(data);
    // A part is sent only when more bytes follow: an object of one part takes one request.
    const bool is_full = part_ && part_->size == part_->capacity;
    if (is_full && !parts_.is_begun()) {
      if (auto decided = Decide(); !decided) return decided;
      continue;
    }
    if (is_full) SendBuffer(/*is_last=*/false);
    if (auto error = parts_.failure()) return *error;
    if (!part_) {
      const std::uint64_t bytes = PartBytes(options_.part_bytes, LeastParts() + 1, options_.part_memory_bytes);
      part_ = buffers_.Take(static_cast<std::size_t>(bytes));
    }
    const auto taken = data.first(std::min(data.size(), part_->capacity - part_->size));
    std::memcpy(part_->memory.get() + part_->size, taken.data(), taken.size());
    part_->size += taken.size();
    position_ += taken.size();
    data = data.subspan(taken.size());
  }
  return {};
}

// The first part is full, and more bytes follow.
Result<void> PartsWriter::Decide() {
  auto choice = parts_.Begin();
  if (!choice) return choice.error();
  report_.path = choice->path;
  report_.reason = std::move(choice->reason);
  if (choice->path == WritePath::kOneStream) return BeginStream();
  if (choice->path == WritePath::kParallel) report_.temporary_name = parts_.temporary_name();
  return {};
}

Result<void> PartsWriter::BeginStream() {
  parts_.Cancel();
  auto stream = std::make_unique<StreamWriter>(client_, object_, options_);
  auto written = stream->Write(part_->bytes());
  stream_ = std::move(stream);
  buffers_.GiveBack(std::move(part_));
  return written;
}

void PartsWriter::SendBuffer(bool is_last) {
  // It is given back when the last of its parts is sent.
  std::shared_ptr<PartBuffer> buffer(
      part_.release(), [this](PartBuffer* used) { buffers_.GiveBack(std::unique_ptr<PartBuffer>(used)); });
  const std::uint64_t most_parts = buffer->size / kLeastPartBytes + 1;
  {
    const MutexLock lock(mutex_);
    queue_.Add(std::move(buffer));
    if (is_last) queue_.End();
  }
  // Jobs that find no part end at once.
  for (std::uint64_t i = 0; i < most_parts; ++i) parts_.Post([this] { return NextPart(); });
}

Result<std::optional<QueuedPart>> PartsWriter::NextPart() {
  const MutexLock lock(mutex_);
  if (queue_.empty() || queue_.cut() < kMostParts) return queue_.Next();
  return Error{ErrorCode::kInvalidArgument,
               "upload of " + ToUri(object_) + ": 10000 parts do not hold it; raise part_bytes and part_memory_bytes"};
}

int PartsWriter::LeastParts() const {
  const MutexLock lock(mutex_);
  return queue_.least_parts();
}

Result<void> PartsWriter::TellProgress() const {
  if (!options_.on_progress || stream_ || !parts_.is_begun()) return {};
  return internal::TellProgress(options_.on_progress, {parts_.stored_bytes(), 0});
}

Result<ObjectMetadata> PartsWriter::Close() {
  if (stream_) return stream_->Close();
  if (auto usable = CheckUsable(); !usable) return usable.error();
  auto stored = ExceptionsAsErrors([this] { return CloseOnce(); }, WriteOutcome::kUnknown);
  if (!stored) error_ = stored.error();
  Cancel();  // Deletes what remains.
  report_.most_memory = buffers_.most();
  return stored;
}

Result<ObjectMetadata> PartsWriter::CloseOnce() {
  if (parts_.is_begun()) return CloseParts();
  report_.path = WritePath::kOneRequest;
  report_.reason = "not more than one part";
  return UploadInOneRequest(CoreOf(client_), object_, part_ ? part_->bytes() : std::span<const std::byte>(), options_);
}

Result<ObjectMetadata> PartsWriter::CloseParts() {
  if (part_) SendBuffer(/*is_last=*/true);
  if (auto sent = parts_.AwaitParts([this] { return TellProgress(); }); !sent) return sent.error();
  auto joined = parts_.Join(position_);
  if (!joined || report_.path == WritePath::kInPlace) return joined;
  return parts_.Commit();
}

Result<std::string> PartsWriter::Suspend() {
  if (stream_) return stream_->Suspend();
  if (auto usable = CheckUsable(); !usable) return usable.error();
  return Error{ErrorCode::kInvalidArgument, "Suspend() needs WritePath::kOneStream: " + ToUri(object_)};
}

void PartsWriter::Cancel() {
  if (!owner_.IsCurrent()) return;
  if (stream_) stream_->Cancel();
  if (std::exchange(is_closed_, true)) return;
  parts_.Cancel();
  if (part_) buffers_.GiveBack(std::move(part_));
}

UploadReport PartsWriter::report() const {
  UploadReport report = report_;
  {
    const MutexLock lock(mutex_);
    report.parts = static_cast<std::uint64_t>(queue_.cut());
  }
  report.most_memory = buffers_.most();
  report.has_left_temporary = parts_.has_left_temporary();
  return report;
}

}  // namespace gcsflux::internal
