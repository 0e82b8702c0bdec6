#include "transfer/file_upload/file_parts.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "base/crc32c.h"
#include "base/exceptions_as_errors.h"
#include "base/object_name.h"
#include "base/process/run_with_time_limit.h"
#include "base/tell_progress.h"
#include "client/client_core.h"
#include "loop/job_queue.h"
#include "loop/request_slots.h"
#include "transfer/threads/worker_pool.h"
#include "transfer/upload/insert_call.h"
#include "transfer/upload/live_uploads.h"
#include "transfer/upload/multipart_upload.h"
#include "transfer/upload/part_bytes.h"
#include "transfer/upload/staging.h"

namespace gcsflux::internal {
namespace {

std::uint64_t DivideUp(std::uint64_t bytes, std::uint64_t by) { return bytes / by + (bytes % by > 0 ? 1 : 0); }

int ConnectionsFor(const ParallelWriterOptions& writing, std::uint64_t part_bytes) {
  const std::uint64_t in_memory = std::max<std::uint64_t>(1, writing.part_memory_bytes / part_bytes);
  return static_cast<int>(std::min<std::uint64_t>(in_memory, static_cast<std::uint64_t>(writing.max_concurrency)));
}

Error Corrupted(const FileUpload& upload, const std::string& what) {
  return InCall(InsertCall(upload.object, upload.upload()), {ErrorCode::kCorrupted, what});
}

}  // namespace

std::uint64_t FilePartBytes(std::uint64_t size, const ParallelWriterOptions& writing) {
  const auto connections = static_cast<std::uint64_t>(writing.max_concurrency);
  const std::uint64_t rounds = std::max<std::uint64_t>(1, DivideUp(size, writing.part_bytes * connections));
  return std::max({DivideUp(size, rounds * connections), kLeastPartBytes, DivideUp(size, kMostParts)});
}

FileParts::~FileParts() {
  static_cast<void>(ExceptionsAsErrors([this] { return Drop(), Result<void>(); }));
}

Result<PathChoice> FileParts::Begin() {
  part_bytes_ = FilePartBytes(upload_.file.size(), upload_.options.writing);
  if (part_bytes_ > upload_.options.writing.part_memory_bytes) {
    return PathChoice{WriteMethod::kOneStream, "10000 parts within part_memory_bytes do not hold the file"};
  }
  if (auto checked = CheckLive(); !checked) return checked.error();
  auto choice = Choose();
  if (!choice || choice->method == WriteMethod::kOneStream) {
    Drop();
    return choice;
  }
  const PartsState state{.endpoint = CoreOf(upload_.client).endpoint(),
                         .temporary = temporary_,
                         .upload_id = parts_->upload_id(),
                         .part_bytes = part_bytes_};
  if (auto saved = upload_.Save(FormatPartsState(state)); !saved) return saved.error();
  return choice;
}

// The compose checks the precondition. This look saves the transfer of parts that would be refused.
Result<void> FileParts::CheckLive() {
  const UploadOptions& options = upload_.upload();
  if (options.mode == WriteMode::kOverwrite) return {};
  const auto live =
      upload_.client.GetObject(upload_.object, {.fields = "generation", .call = options.call, .stop = options.stop});
  if (!live || (options.mode == WriteMode::kReplace && live->generation == options.generation)) return {};
  return InCall(InsertCall(upload_.object, options),
                {ErrorCode::kPreconditionFailed, "generation " + std::to_string(live->generation) +
                                                     " is live under the name: another writer wrote it; nothing is "
                                                     "sent"});
}

// The upload is begun while the service answers whether parts will do: most times they will.
Result<PathChoice> FileParts::Choose() {
  constexpr std::size_t kQuestions = 3;
  RequestSlots slots(CoreOf(upload_.client).loops(), kQuestions);
  if (!slots.is_usable()) return slots.shortage().value_or(Error{ErrorCode::kLocalIo, "no event loop runs"});
  const auto jobs = std::make_shared<JobQueue>(slots);
  std::optional<Result<void>> started;
  PathChoice choice =
      ChoosePath(upload_.client, upload_.object.bucket, upload_.options.writing, *jobs, [&] { started = Start(); });
  jobs->Close();
  if (upload_.upload().stop.stop_requested()) {
    return InCall(InsertCall(upload_.object, upload_.upload()), {ErrorCode::kCancelled, "stopped by the caller"});
  }
  if (choice.method == WriteMethod::kOneStream) return choice;
  if (!started) started = Start();
  if (*started) return choice;
  if ((*started).error().code != ErrorCode::kPermissionDenied) return (*started).error();
  return PathChoice{WriteMethod::kOneStream, "no multipart upload may be started: " + (*started).error().message};
}

Result<void> FileParts::Start() {
  temporary_ = NewStagingName(CoreOf(upload_.client), upload_.object.bucket);
  if (!upload_.is_resumable()) {
    if (auto added = LiveUploads::OfProcess().Add(upload_.client, temporary_, /*is_temporary=*/true); !added)
      return added;
  }
  auto parts =
      MultipartUpload::Start(upload_.client, temporary_, StagingOptions(upload_.upload(), upload_.upload().stop));
  if (!parts) return parts.error();
  parts_.emplace(*std::move(parts));
  return {};
}

Result<void> FileParts::Continue(const PartsState& state) {
  auto found = FindParts(state);
  if (found && !made_) found = CheckLive();
  if (!found) return Leave(found.error());
  return found;
}

Result<void> FileParts::FindParts(const PartsState& state) {
  const UploadOptions& options = upload_.upload();
  temporary_ = state.temporary;
  part_bytes_ = state.part_bytes;
  auto parts =
      MultipartUpload::Resume(upload_.client, temporary_, state.upload_id, StagingOptions(options, options.stop));
  if (!parts) return parts.error();
  parts_.emplace(*std::move(parts));
  const auto listed = parts_->ListParts();
  if (listed) {
    for (const ListedPart& part : *listed) held_.emplace(part.number, part);
    return {};
  }
  if (listed.error().code != ErrorCode::kSessionLost) return listed.error();
  // The earlier call may have joined the parts.
  parts_->Suspend();
  auto made = upload_.client.GetObject(
      temporary_, {.encryption_key = options.encryption_key, .call = options.call, .stop = options.stop});
  if (!made && made.error().code == ErrorCode::kNotFound) return listed.error();
  may_be_made_ = !made;
  if (!made) return made.error();
  made_ = *std::move(made);
  return {};
}

Result<ObjectMetadata> FileParts::Finish() {
  auto stored = SendAndCommit();
  if (!stored) return Leave(stored.error());
  Drop();
  if (auto forgotten = upload_.Forget(); !forgotten) return forgotten.error();
  return stored;
}

Result<ObjectMetadata> FileParts::SendAndCommit() {
  auto made = made_ ? CheckMade() : SendParts();
  if (!made) return made;
  if (made->size != upload_.file.size() || !made->crc32c) {
    return Corrupted(upload_, "the service made " + std::to_string(made->size) + " bytes of " +
                                  std::to_string(upload_.file.size()) + (made->crc32c ? "" : ", without a CRC32C"));
  }
  return Commit(*made);
}

Result<ObjectMetadata> FileParts::SendParts() {
  const auto count = static_cast<std::size_t>(DivideUp(upload_.file.size(), part_bytes_));
  const auto connections = static_cast<std::size_t>(ConnectionsFor(upload_.options.writing, part_bytes_));
  {
    WorkerPool pool(std::min(count, connections), &CoreOf(upload_.client).observer());
    const auto send = [&](std::size_t index, const std::stop_token& stop) { return SendPart(index, stop); };
    if (auto sent = pool.Run(count, send, upload_.upload().stop); !sent) return sent.error();
  }
  if (auto unchanged = upload_.file.CheckUnchanged(); !unchanged) return unchanged.error();
  may_be_made_ = true;
  auto made = parts_->Complete();
  if (!made) return OfStaging(made.error());
  may_be_made_ = false;
  made_ = *made;
  return made;
}

Result<void> FileParts::SendPart(std::size_t index, const std::stop_token& stop) {
  const int number = static_cast<int>(index) + 1;
  const std::uint64_t offset = index * part_bytes_;
  const auto count = static_cast<std::size_t>(std::min(part_bytes_, upload_.file.size() - offset));
  std::vector<std::byte> room = TakeRoom();
  const auto data = upload_.file.Read(offset, count, room);
  if (!data) return data.error();
  const auto held = held_.find(number);
  if (held != held_.end() && held->second.size == count) {
    if (auto kept = parts_->KeepPart(held->second, ExtendCrc32c(0, *data)); !kept) return kept;
    kept_bytes_ += count;
  } else if (auto sent = parts_->UploadPart(number, *data, stop); !sent) {
    return sent;
  }
  GiveBack(std::move(room));
  const std::uint64_t sent_bytes = sent_bytes_ += count;
  return TellProgress(upload_.upload().on_progress, {sent_bytes, upload_.file.size()});
}

// Whether an object that an earlier call made holds this file.
Result<ObjectMetadata> FileParts::CheckMade() {
  const auto crc32c = ChecksumOf(upload_.file, upload_.file.size(), upload_.upload().stop);
  if (!crc32c) return crc32c.error();
  if (auto unchanged = upload_.file.CheckUnchanged(); !unchanged) return unchanged.error();
  if (made_->crc32c != *crc32c) return Corrupted(upload_, "the service has other bytes of an earlier upload");
  kept_bytes_ = upload_.file.size();
  return *made_;
}

Result<ObjectMetadata> FileParts::Commit(const ObjectMetadata& made) {
  const StagedObject staged{.object = upload_.object,
                            .temporary = temporary_,
                            .generation = made.generation,
                            .sent = {made.size, *made.crc32c}};
  auto committed = CommitStaged(CoreOf(upload_.client), staged, upload_.upload());
  if (!committed) return committed.error();
  if (!committed->has_left_temporary) made_.reset();
  return std::move(committed->stored);
}

Error FileParts::Leave(const Error& error) {
  if (upload_.is_resumable() && KeepsUpload(error)) {
    if (parts_) parts_->Suspend();
    made_.reset();
    may_be_made_ = false;
    return error;
  }
  Drop();
  static_cast<void>(upload_.Forget());
  return error;
}

void FileParts::Drop() {
  parts_.reset();  // Aborts it, unless it was completed or suspended.
  if (made_ || may_be_made_) {
    const auto generation = made_ ? std::optional(made_->generation) : std::nullopt;
    static_cast<void>(DeleteStaged(upload_.client, temporary_, generation, upload_.upload().call));
  }
  made_.reset();
  may_be_made_ = false;
  if (!upload_.is_resumable() && !temporary_.name.empty()) LiveUploads::OfProcess().Remove(temporary_);
}

std::vector<std::byte> FileParts::TakeRoom() {
  const std::scoped_lock lock(mutex_);
  if (rooms_.empty()) return {};
  std::vector<std::byte> room = std::move(rooms_.back());
  rooms_.pop_back();
  return room;
}

void FileParts::GiveBack(std::vector<std::byte> room) {
  const std::scoped_lock lock(mutex_);
  rooms_.push_back(std::move(room));
}

bool CanContinue(const FileUpload& upload, const PartsState& state) {
  return state.part_bytes <= upload.options.writing.part_memory_bytes &&
         upload.options.writing.path != WritePath::kOneStream;
}

void DropParts(const FileUpload& upload, const PartsState& state) {
  if (state.endpoint != CoreOf(upload.client).endpoint()) return;
  const CallOptions& call = upload.upload().call;
  RunWithTimeLimit([&](std::stop_token stop) {
    static_cast<void>(AbortMultipartUpload(upload.client, {.object = state.temporary, .upload_id = state.upload_id},
                                           {.call = call, .stop = std::move(stop)}));
  });
  static_cast<void>(DeleteStaged(upload.client, state.temporary, {}, call));
}

}  // namespace gcsflux::internal
