#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

#include "base/process/fork.h"
#include "gcsflux/parallel_writer.h"
#include "loop/doorbell.h"
#include "loop/job_queue.h"
#include "loop/request_slots.h"
#include "transfer/upload/multipart_upload.h"
#include "transfer/upload/part_buffers.h"
#include "transfer/upload/part_queue.h"

namespace gcsflux::internal {

/// The state of a ParallelWriter. For one thread at a time.
class PartsWriter {
 public:
  PartsWriter(Client client, ObjectName object, ParallelWriterOptions options);
  ~PartsWriter();
  PartsWriter(const PartsWriter&) = delete;
  PartsWriter& operator=(const PartsWriter&) = delete;

  Result<void> Write(std::span<const std::byte> data);
  Result<ObjectMetadata> Close();
  void Cancel();
  [[nodiscard]] std::uint64_t position() const { return position_; }
  [[nodiscard]] ParallelWriterReport report() const;

 private:
  [[nodiscard]] Result<void> CheckUsable() const;
  Result<void> WriteOn(std::span<const std::byte> data);
  Result<ObjectMetadata> CloseOnce();
  Result<void> Decide();
  Result<void> StartJobs();
  Result<void> BeginStream(const std::string& reason);
  Result<void> BeginUpload(bool is_temporary);
  void EndUpload();
  void SendBuffer(bool is_last);
  void SendNext();
  void Send(const QueuedPart& part);
  Result<void> AwaitParts();
  Result<ObjectMetadata> CloseParts();
  Result<ObjectMetadata> Commit(const ObjectMetadata& temporary);
  void DropTemporary();
  void EndRequests();
  [[nodiscard]] std::optional<Error> PartError() const;
  [[nodiscard]] int LeastParts() const;
  Result<void> TellProgress();

  const Client client_;
  const ObjectName object_;
  const ParallelWriterOptions options_;
  const ProcessMark made_in_;
  PartBuffers buffers_;
  std::unique_ptr<PartBuffer> part_;  // It is being filled.
  std::uint64_t position_ = 0;
  bool is_closed_ = false;
  std::optional<Error> error_;
  ParallelWriterReport report_;

  std::optional<ObjectWriter> stream_;
  ObjectName target_;  // Of the multipart upload.
  std::optional<MultipartUpload> upload_;
  bool may_have_temporary_ = false;                   // The upload was or may be completed, and is not yet committed.
  std::optional<std::int64_t> temporary_generation_;  // Absent if it is unknown.

  std::stop_source stop_;
  std::stop_callback<std::function<void()>> on_stop_;
  mutable std::mutex mutex_;
  Doorbell part_ended_;
  // Guarded by mutex_:
  PartQueue queue_;
  std::size_t in_flight_ = 0;
  std::uint64_t stored_bytes_ = 0;
  std::optional<Error> part_error_;

  std::unique_ptr<RequestSlots> slots_;
  std::shared_ptr<JobQueue> jobs_;
};

}  // namespace gcsflux::internal
