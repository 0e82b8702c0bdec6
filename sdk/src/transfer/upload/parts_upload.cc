#include "transfer/upload/parts_upload.h"

#include <algorithm>
#include <utility>

#include "base/composite_name.h"
#include "base/composite_prefix.h"
#include "base/exceptions_as_errors.h"
#include "base/object_name.h"
#include "base/process/run_with_time_limit.h"
#include "client/client_core.h"
#include "transfer/upload/compose_commit.h"
#include "transfer/upload/insert_call.h"
#include "transfer/upload/live_uploads.h"

namespace gcsflux::internal {
namespace {

// "gcsflux-uploads/RUN/UUID", which no other writer uses.
ObjectName NewTemporaryName(const ClientCore& core, const std::string& bucket) {
  std::string name(kUploadPrefix);
  name += FormatRun(core.timing().SystemNow(), core.NewInvocationId());
  name += '/';
  name += core.NewInvocationId();
  return {bucket, std::move(name)};
}

// The compose sets the attributes of the temporary object's successor, except the storage class.
MultipartOptions MultipartOptionsOf(const UploadOptions& options, WritePath path, std::stop_token stop) {
  MultipartOptions of_parts{.encryption_key = options.encryption_key,
                            .kms_key_name = options.kms_key_name,
                            .call = options.call,
                            .stop = std::move(stop)};
  if (path == WritePath::kInPlace) {
    of_parts.attributes = options.attributes;
  } else {
    of_parts.attributes.storage_class = options.attributes.storage_class;
  }
  return of_parts;
}

// Of this generation, or if that is not known, the live one. Returns false if it may be left.
bool DeleteTemporary(const Client& client, const ObjectName& temporary, std::optional<std::int64_t> generation,
                     const CallOptions& call) {
  bool is_gone = false;
  RunWithTimeLimit([&](std::stop_token stop) {
    const auto removed =
        client.DeleteObject(temporary, {.generation = generation, .call = call, .stop = std::move(stop)});
    is_gone = removed || removed.error().code == ErrorCode::kNotFound;
  });
  return is_gone;
}

}  // namespace

PartsUpload::PartsUpload(const Client& client, const ObjectName& object, const UploadOptions& options,
                         bool is_resumable)
    : client_(client), object_(object), options_(options), is_resumable_(is_resumable), on_stop_(options.stop, [this] {
        stop_.request_stop();
      }) {}

PartsUpload::~PartsUpload() {
  static_cast<void>(ExceptionsAsErrors([this] { return Cancel(), Result<void>(); }));
}

// The upload is begun while the service answers whether parts will do: most times they will.
Result<PathChoice> PartsUpload::Begin() {
  if (auto started = StartJobs(); !started) return started.error();
  std::optional<Result<void>> begun;
  PathChoice choice =
      ChoosePath(client_, object_.bucket, options_, *jobs_, [&] { begun = Start(WritePath::kParallel); });
  if (stop_.stop_requested()) {
    return InCall(InsertCall(object_, options_), {ErrorCode::kCancelled, "stopped by the caller"});
  }
  if (choice.path == WritePath::kOneStream) return choice;
  if (!begun) begun = Start(choice.path);
  if (*begun) return choice;
  // If the caller may write objects, but not this way, one stream does it.
  const bool is_denied = begun->error().code == ErrorCode::kPermissionDenied;
  if (!is_denied || choice.path == WritePath::kInPlace) return begun->error();
  return PathChoice{WritePath::kOneStream, "no multipart upload may be started: " + begun->error().message};
}

Result<void> PartsUpload::StartJobs() {
  slots_ = std::make_unique<RequestSlots>(CoreOf(client_).loops(), static_cast<std::size_t>(options_.max_concurrency));
  if (!slots_->is_usable()) return slots_->shortage().value_or(Error{ErrorCode::kLocalIo, "no event loop runs"});
  jobs_ = std::make_shared<JobQueue>(*slots_);
  return {};
}

Result<void> PartsUpload::Start(WritePath path) {
  path_ = path;
  const bool is_temporary = path == WritePath::kParallel;
  target_ = is_temporary ? NewTemporaryName(CoreOf(client_), object_.bucket) : object_;
  if (!is_resumable_) {
    if (auto added = LiveUploads::OfProcess().Add(client_, target_, is_temporary); !added) return added;
  }
  auto upload = MultipartUpload::Start(client_, target_, MultipartOptionsOf(options_, path, stop_.get_token()));
  if (!upload) return upload.error();
  upload_.emplace(*std::move(upload));
  return {};
}

Result<void> PartsUpload::Continue(const PartsState& state) {
  if (auto started = StartJobs(); !started) return started;
  target_ = state.temporary;
  auto upload = MultipartUpload::Resume(client_, target_, state.upload_id,
                                        MultipartOptionsOf(options_, path_, stop_.get_token()));
  if (!upload) return upload.error();
  upload_.emplace(*std::move(upload));
  auto listed = upload_->ListParts();
  if (listed) {
    held_ = *std::move(listed);
    return {};
  }
  if (listed.error().code != ErrorCode::kSessionLost) return listed.error();
  // The earlier call may have joined the parts.
  upload_->Suspend();
  auto joined = client_.GetObject(
      target_, {.encryption_key = options_.encryption_key, .call = options_.call, .stop = options_.stop});
  if (!joined && joined.error().code == ErrorCode::kNotFound) return listed.error();
  may_be_joined_ = !joined;
  if (!joined) return joined.error();
  joined_ = *std::move(joined);
  return {};
}

PartsState PartsUpload::state() const {
  return {.endpoint = CoreOf(client_).endpoint(), .temporary = target_, .upload_id = upload_->upload_id()};
}

void PartsUpload::Post(std::function<Result<std::optional<QueuedPart>>()> next) {
  {
    const MutexLock lock(mutex_);
    ++pending_;
  }
  try {
    jobs_->Post([this, next = std::move(next)] { SendNext(next); });
  } catch (...) {
    const MutexLock lock(mutex_);
    --pending_;
    throw;
  }
}

// Runs on a fiber.
void PartsUpload::SendNext(const std::function<Result<std::optional<QueuedPart>>()>& next) {
  const auto sent = failure() ? Result<void>() : ExceptionsAsErrors([&] { return Send(next); });
  bool is_first_failure = false;
  {
    const MutexLock lock(mutex_);
    --pending_;
    is_first_failure = !sent && !failure_;
    if (is_first_failure) failure_ = sent.error();
  }
  if (is_first_failure) stop_.request_stop();  // The other parts are useless now.
  part_ended_.NotifyAll();
}

Result<void> PartsUpload::Send(const std::function<Result<std::optional<QueuedPart>>()>& next) {
  const auto part = next();
  if (!part) return part.error();
  if (!*part) return {};
  if (auto sent = upload_->UploadPart((*part)->number, (*part)->bytes, stop_.get_token()); !sent) return sent;
  const MutexLock lock(mutex_);
  stored_bytes_ += (*part)->bytes.size();
  return {};
}

std::optional<Error> PartsUpload::failure() const {
  const MutexLock lock(mutex_);
  return failure_;
}

std::uint64_t PartsUpload::stored_bytes() const {
  const MutexLock lock(mutex_);
  return stored_bytes_;
}

Result<void> PartsUpload::AwaitParts(const std::function<Result<void>()>& on_part) {
  MutexLock lock(mutex_);
  for (std::size_t before = pending_ + 1; pending_ < before;) {
    before = pending_;
    lock.unlock();
    if (auto told = on_part(); !told) return told;
    lock.lock();
    part_ended_.Wait(lock, [&]() REQUIRES(mutex_) { return pending_ < before || pending_ == 0; });
  }
  if (failure_) return *failure_;
  return {};
}

Result<ObjectMetadata> PartsUpload::Join(std::uint64_t size) {
  auto joined = upload_->Complete();
  if (path_ == WritePath::kInPlace) return joined;
  may_be_joined_ = !joined && joined.error().outcome != WriteOutcome::kNotStored;
  if (!joined) {
    // Whatever became of the temporary object, nothing is stored under the object's name.
    Error error = joined.error();
    error.outcome = WriteOutcome::kNotStored;
    return error;
  }
  joined_ = *joined;
  if (joined->size == size && joined->crc32c) return joined;
  return InCall(InsertCall(object_, options_),
                {ErrorCode::kCorrupted, "the service made " + std::to_string(joined->size) + " bytes of " +
                                            std::to_string(size) + (joined->crc32c ? "" : ", without a CRC32C")});
}

// If the service refuses the deletion of the temporary object (403), and nothing was stored, commits without it: there
// may be a retention policy that could not be read, and the object matters more than a temporary object that remains.
Result<ObjectMetadata> PartsUpload::Commit() {
  const StagedObject staged{.object = object_,
                            .temporary = target_,
                            .generation = joined_->generation,
                            .sent = {joined_->size, *joined_->crc32c}};
  auto stored = CommitByCompose(CoreOf(client_), staged, options_, /*deletes_temporary=*/true);
  const bool is_refused = !stored && stored.error().code == ErrorCode::kPermissionDenied &&
                          stored.error().outcome == WriteOutcome::kNotStored;
  if (is_refused) stored = CommitByCompose(CoreOf(client_), staged, options_, /*deletes_temporary=*/false);
  if (stored && !is_refused) joined_.reset();  // It is deleted.
  return stored;
}

void PartsUpload::EndRequests() {
  stop_.request_stop();
  if (jobs_) jobs_->Close();
  slots_.reset();  // Waits for the requests in progress.
}

void PartsUpload::Suspend() {
  EndRequests();
  if (upload_) upload_->Suspend();
  joined_.reset();
  may_be_joined_ = false;
}

void PartsUpload::Cancel() {
  EndRequests();
  upload_.reset();  // Aborts it, unless it was completed or suspended.
  DropTemporary();
  if (!is_resumable_ && !target_.name.empty()) LiveUploads::OfProcess().Remove(target_);
}

void PartsUpload::DropTemporary() {
  const auto generation = joined_ ? std::optional(joined_->generation) : std::nullopt;
  if (!std::exchange(may_be_joined_, false) && !joined_) return;
  joined_.reset();
  has_left_temporary_ = !DeleteTemporary(client_, target_, generation, options_.call);
}

void DropParts(const Client& client, const PartsState& state, const CallOptions& call) {
  if (state.endpoint != CoreOf(client).endpoint()) return;
  RunWithTimeLimit([&](std::stop_token stop) {
    static_cast<void>(AbortMultipartUpload(client, {.object = state.temporary, .upload_id = state.upload_id},
                                           {.call = call, .stop = std::move(stop)}));
  });
  static_cast<void>(DeleteTemporary(client, state.temporary, {}, call));
}

}  // namespace gcsflux::internal
