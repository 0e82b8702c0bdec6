#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/process/mutex.h"
#include "gcsflux/upload.h"
#include "loop/job_queue.h"
#include "loop/loop_condition.h"
#include "loop/request_slots.h"
#include "transfer/upload/multipart_upload.h"
#include "transfer/upload/part_queue.h"
#include "transfer/upload/write_path.h"
#include "wire/upload_state.h"

namespace gcsflux::internal {

/// The parts of one object: sent at the same time to a temporary object, which one compose makes visible. Call Begin()
/// or Continue() first. For one thread at a time; it sends the parts on the client's loops.
class PartsUpload {
 public:
  /// Makes no request. The arguments must outlive it. If `is_resumable`, the upload stays when the process ends.
  PartsUpload(const Client& client, const ObjectName& object, const UploadOptions& options, bool is_resumable);
  /// As Cancel().
  ~PartsUpload();
  PartsUpload(const PartsUpload&) = delete;
  PartsUpload& operator=(const PartsUpload&) = delete;

  /// Decides how the object is written. Unless it is one stream, begins an upload.
  Result<PathChoice> Begin();
  /// Asks what the service has of an upload of another call. Returns kSessionLost if it has nothing.
  Result<void> Continue(const PartsState& state);
  /// The parts that the service held when Continue() asked.
  [[nodiscard]] const std::vector<ListedPart>& held() const { return held_; }
  /// What an earlier call has joined, and not committed.
  [[nodiscard]] const std::optional<ObjectMetadata>& joined() const { return joined_; }
  /// What Continue() needs, with `part_bytes` left out.
  [[nodiscard]] PartsState state() const;

  /// Sends what `next` returns when a connection is free; if it returns nothing, that is all. `next` is called on a
  /// loop, and does not throw. After a failure it is not called.
  void Post(std::function<Result<std::optional<QueuedPart>>()> next);
  /// Uses a part of held() whose bytes have this checksum.
  Result<void> Keep(const ListedPart& part, std::uint32_t crc32c) { return upload_->KeepPart(part, crc32c); }
  /// The first failure of a part.
  [[nodiscard]] std::optional<Error> failure() const;
  [[nodiscard]] std::uint64_t stored_bytes() const;
  /// Returns when all parts are sent, or with the first failure. Calls `on_part` after each part.
  Result<void> AwaitParts(const std::function<Result<void>()>& on_part);

  /// Joins the parts, which have `size` bytes together.
  Result<ObjectMetadata> Join(std::uint64_t size);
  /// Makes joined() visible.
  Result<ObjectMetadata> Commit();

  /// Leaves the upload for Continue().
  void Suspend();
  /// Deletes what was sent and is not committed. Takes some seconds at most.
  void Cancel();

  [[nodiscard]] bool is_begun() const { return upload_.has_value(); }
  [[nodiscard]] const std::string& temporary_name() const { return target_.name; }
  /// The object is stored, and the temporary object may be left.
  [[nodiscard]] bool has_left_temporary() const { return has_left_temporary_; }

 private:
  Result<void> StartJobs();
  Result<void> Start(WritePath path);
  void SendNext(const std::function<Result<std::optional<QueuedPart>>()>& next);
  Result<void> Send(const std::function<Result<std::optional<QueuedPart>>()>& next);
  void EndRequests();
  void DropTemporary();

  const Client& client_;
  const ObjectName& object_;
  const UploadOptions& options_;
  const bool is_resumable_;
  WritePath path_ = WritePath::kParallel;
  ObjectName target_;  // Of the multipart upload.
  std::optional<MultipartUpload> upload_;
  std::vector<ListedPart> held_;
  std::optional<ObjectMetadata> joined_;
  bool may_be_joined_ = false;  // No answer tells whether the temporary object exists.
  bool has_left_temporary_ = false;

  std::stop_source stop_;
  std::stop_callback<std::function<void()>> on_stop_;
  mutable Mutex mutex_;
  LoopCondition part_ended_;
  std::size_t pending_ GUARDED_BY(mutex_) = 0;  // Posted, and not ended.
  std::uint64_t stored_bytes_ GUARDED_BY(mutex_) = 0;
  std::optional<Error> failure_ GUARDED_BY(mutex_);

  std::unique_ptr<RequestSlots> slots_;
  std::shared_ptr<JobQueue> jobs_;
};

/// Deletes the parts of an upload that will not be continued. Takes 4 s at most.
void DropParts(const Client& client, const PartsState& state, const CallOptions& call);

}  // namespace gcsflux::internal
