#include "transfer/upload/parts_writer.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "base/exceptions_as_errors.h"
#include "base/object_name.h"
#include "base/tell_progress.h"
#include "client/client_core.h"
#include "client/operation_calls.h"
#include "transfer/upload/insert_call.h"
#include "transfer/upload/live_uploads.h"
#include "transfer/upload/part_bytes.h"
#include "transfer/upload/single_request_upload.h"
#include "transfer/upload/staging.h"
#include "transfer/upload/write_path.h"

namespace gcsflux::internal {

PartsWriter::PartsWriter(Client client, ObjectName object, ParallelWriterOptions options)
    : client_(std::move(client)),
      object_(std::move(object)),
      options_(std::move(options)),
      buffers_(options_.part_memory_bytes),
      on_stop_(options_.upload.stop, [this] { stop_.request_stop(); }),
      queue_(static_cast<std::uint64_t>(std::max(1, options_.max_concurrency))) {
  Result<void> checked = CheckUpload(CoreOf(client_), object_, options_.upload);
  if (checked) checked = CheckWriterOptions(options_);
  if (!checked) error_ = InCall(InsertCall(object_, options_.upload), checked.error());
}

PartsWriter::~PartsWriter() {
  static_cast<void>(ExceptionsAsErrors([this] { return Cancel(), Result<void>(); }));
}

Result<void> PartsWriter::CheckUsable() const {
  if (made_in_.IsInChild()) return InCall(InsertCall(object_, options_.upload), ForkedError("the upload"));
  if (error_) return *error_;
  if (is_closed_) return Error{ErrorCode::kInvalidArgument, "used after Close() or Cancel(): " + ToUri(object_)};
  return {};
}

Result<void> PartsWriter::Write(std::span<const std::byte> data) {
  if (auto usable = CheckUsable(); !usable) return usable;
  if (auto checked = CheckBytes(object_, data); !checked) return checked;
  auto written = ExceptionsAsErrors([&] { return WriteOn(data); });
  if (written) written = TellProgress();
  if (written) return {};
  error_ = written.error();
  Cancel();
  return *error_;
}

Result<void> PartsWriter::WriteOn(std::span<const std::byte> data) {
  while (!data.empty()) {
    if (stream_) {
      position_ += data.size();
      return stream_->Write(data);
    }
    // A part is sent only when more bytes follow: an object of one part takes one request.
    const bool is_full = part_ && part_->size == part_->capacity;
    if (is_full && !upload_) {
      if (auto decided = Decide(); !decided) return decided;
      continue;
    }
    if (is_full) SendBuffer(/*is_last=*/false);
    if (auto error = PartError()) return *error;
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

// The first part is full, and more bytes follow. An upload is begun while the service answers whether parts will do:
// most times they will.
Result<void> PartsWriter::Decide() {
  if (auto started = StartJobs(); !started) return started;
  std::optional<Result<void>> begun;
  PathChoice choice =
      ChoosePath(client_, object_.bucket, options_, *jobs_, [&] { begun = BeginUpload(/*is_temporary=*/true); });
  if (stop_.stop_requested()) return Error{ErrorCode::kCancelled, "upload of " + ToUri(object_)};
  report_.method = choice.method;
  report_.reason = std::move(choice.reason);
  if (choice.method == WriteMethod::kOneStream) return BeginStream(report_.reason);
  const bool is_temporary = choice.method == WriteMethod::kPartsAndCompose;
  if (!begun) begun = BeginUpload(is_temporary);
  // If the caller may write objects, but not this way, one stream does it.
  const bool is_denied = !*begun && begun->error().code == ErrorCode::kPermissionDenied;
  if (is_denied && is_temporary) return BeginStream("no multipart upload may be started: " + begun->error().message);
  if (*begun && is_temporary) report_.temporary_name = target_.name;
  return *begun;
}

Result<void> PartsWriter::StartJobs() {
  slots_ = std::make_unique<RequestSlots>(CoreOf(client_).loops(), static_cast<std::size_t>(options_.max_concurrency));
  if (!slots_->is_usable()) return slots_->shortage().value_or(Error{ErrorCode::kLocalIo, "no event loop runs"});
  jobs_ = std::make_shared<JobQueue>(*slots_);
  return {};
}

Result<void> PartsWriter::BeginStream(const std::string& reason) {
  EndUpload();
  report_.method = WriteMethod::kOneStream;
  report_.reason = reason;
  stream_.emplace(client_, object_, options_.upload);
  auto written = stream_->Write(part_->bytes());
  buffers_.GiveBack(std::move(part_));
  return written;
}

Result<void> PartsWriter::BeginUpload(bool is_temporary) {
  target_ = is_temporary ? NewStagingName(CoreOf(client_), object_.bucket) : object_;
  MultipartOptions options = StagingOptions(options_.upload, stop_.get_token());
  if (!is_temporary) options.attributes = options_.upload.attributes;
  if (auto added = LiveUploads::OfProcess().Add(client_, target_, is_temporary); !added) return added;
  auto upload = MultipartUpload::Start(client_, target_, std::move(options));
  if (!upload) return upload.error();
  upload_.emplace(*std::move(upload));
  return {};
}

void PartsWriter::EndUpload() {
  upload_.reset();  // Aborts it, unless it was completed.
  DropTemporary();
  if (!target_.name.empty()) LiveUploads::OfProcess().Remove(target_);
  target_ = {};
}

void PartsWriter::SendBuffer(bool is_last) {
  // It is given back when the last of its parts is sent.
  std::shared_ptr<PartBuffer> buffer(
      part_.release(), [this](PartBuffer* used) { buffers_.GiveBack(std::unique_ptr<PartBuffer>(used)); });
  const std::uint64_t most_parts = buffer->size / kLeastPartBytes + 1;
  {
    const std::scoped_lock lock(mutex_);
    queue_.Add(std::move(buffer));
    if (is_last) queue_.End();
  }
  // Jobs that find no part end at once.
  for (std::uint64_t i = 0; i < most_parts; ++i) jobs_->Post([this] { SendNext(); });
}

// Runs on a fiber.
void PartsWriter::SendNext() {
  std::optional<QueuedPart> part;
  {
    const std::scoped_lock lock(mutex_);
    if (part_error_) return;
    if (!queue_.empty() && queue_.cut() == kMostParts) {
      part_error_ =
          Error{ErrorCode::kInvalidArgument,
                "upload of " + ToUri(object_) + ": 10000 parts do not hold it; raise part_bytes and part_memory_bytes"};
    } else {
      part = queue_.Next();
    }
    if (part) ++in_flight_;
  }
  if (part) Send(*part);
  part_ended_.Ring();
}

void PartsWriter::Send(const QueuedPart& part) {
  const auto sent = upload_->UploadPart(part.number, part.bytes, stop_.get_token());
  bool is_first_failure = false;
  {
    const std::scoped_lock lock(mutex_);
    --in_flight_;
    if (sent) stored_bytes_ += part.bytes.size();
    is_first_failure = !sent && !part_error_;
    if (is_first_failure) part_error_ = sent.error();
  }
  if (is_first_failure) stop_.request_stop();  // The other parts are useless now.
}

int PartsWriter::LeastParts() const {
  const std::scoped_lock lock(mutex_);
  return queue_.least_parts();
}

std::optional<Error> PartsWriter::PartError() const {
  const std::scoped_lock lock(mutex_);
  return part_error_;
}

Result<void> PartsWriter::AwaitParts() {
  std::unique_lock lock(mutex_);
  part_ended_.Wait(lock, [&] { return in_flight_ == 0 && (queue_.empty() || part_error_); });
  if (part_error_) return *part_error_;
  return {};
}

Result<void> PartsWriter::TellProgress() {
  if (!options_.upload.on_progress || stream_ || !upload_) return {};
  std::uint64_t stored = 0;
  {
    const std::scoped_lock lock(mutex_);
    stored = stored_bytes_;
  }
  return internal::TellProgress(options_.upload.on_progress, {stored, 0});
}

Result<ObjectMetadata> PartsWriter::Close() {
  if (auto usable = CheckUsable(); !usable) return usable.error();
  auto stored = ExceptionsAsErrors([this] { return CloseOnce(); }, WriteOutcome::kUnknown);
  if (!stored) error_ = stored.error();
  Cancel();  // Deletes what remains.
  report_.most_memory = buffers_.most();
  return stored;
}

Result<ObjectMetadata> PartsWriter::CloseOnce() {
  if (stream_) return stream_->Close();
  if (upload_) return CloseParts();
  report_.method = WriteMethod::kSingleInsert;
  report_.reason = "not more than one part";
  return UploadInOneRequest(CoreOf(client_), object_, part_ ? part_->bytes() : std::span<const std::byte>(),
                            options_.upload);
}

Result<ObjectMetadata> PartsWriter::CloseParts() {
  if (part_) SendBuffer(/*is_last=*/true);
  if (auto sent = AwaitParts(); !sent) return sent.error();
  if (auto told = TellProgress(); !told) return told.error();
  auto made = upload_->Complete();
  if (report_.method == WriteMethod::kParts) return made;
  may_have_temporary_ = made || made.error().outcome != WriteOutcome::kNotStored;
  if (!made) return OfStaging(made.error());
  temporary_generation_ = made->generation;
  if (made->size != position_ || !made->crc32c) {
    return Error{ErrorCode::kCorrupted, "upload of " + ToUri(object_) + ": the service made " +
                                            std::to_string(made->size) + " bytes of " + std::to_string(position_) +
                                            (made->crc32c ? "" : ", without a CRC32C")};
  }
  return Commit(*made);
}

Result<ObjectMetadata> PartsWriter::Commit(const ObjectMetadata& temporary) {
  const StagedObject staged{.object = object_,
                            .temporary = target_,
                            .generation = temporary.generation,
                            .sent = {temporary.size, *temporary.crc32c}};
  auto committed = CommitStaged(CoreOf(client_), staged, options_.upload);
  if (!committed) return committed.error();
  if (!committed->has_left_temporary) may_have_temporary_ = false;
  return std::move(committed->stored);
}

void PartsWriter::EndRequests() {
  stop_.request_stop();
  if (jobs_) jobs_->Close();
  slots_.reset();  // Waits for the requests in progress.
}

void PartsWriter::Cancel() {
  if (made_in_.IsInChild() || std::exchange(is_closed_, true)) return;
  EndRequests();
  if (stream_) stream_->Cancel();
  EndUpload();
  if (part_) buffers_.GiveBack(std::move(part_));
}

void PartsWriter::DropTemporary() {
  if (!std::exchange(may_have_temporary_, false)) return;
  report_.has_left_temporary = !DeleteStaged(client_, target_, temporary_generation_, options_.upload.call);
}

ParallelWriterReport PartsWriter::report() const {
  ParallelWriterReport report = report_;
  {
    const std::scoped_lock lock(mutex_);
    report.parts = static_cast<std::uint64_t>(queue_.cut());
  }
  report.most_memory = buffers_.most();
  return report;
}

}  // namespace gcsflux::internal
