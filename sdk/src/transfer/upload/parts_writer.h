#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/process/mutex.h"
#include "base/process/owner_process.h"
#include "gcsflux/upload.h"
#include "transfer/upload/part_buffers.h"
#include "transfer/upload/part_queue.h"
#include "transfer/upload/parts_upload.h"
#include "transfer/upload/stream_writer.h"

namespace gcsflux::internal {

/// The state of an ObjectWriter, which sends parts, or one stream. For one thread at a time.
class PartsWriter {
 public:
  PartsWriter(Client client, ObjectName object, UploadOptions options);
  /// Continues a stream.
  PartsWriter(Client client, std::unique_ptr<StreamWriter> stream);
  ~PartsWriter();
  PartsWriter(const PartsWriter&) = delete;
  PartsWriter& operator=(const PartsWriter&) = delete;

  Result<void> Write(std::span<const std::byte> data);
  Result<ObjectMetadata> Close();
  Result<std::string> Suspend();
  void Cancel();
  [[nodiscard]] std::uint64_t position() const { return stream_ ? stream_->position() : position_; }
  [[nodiscard]] UploadReport report() const;

 private:
  [[nodiscard]] Result<void> CheckUsable() const;
  Result<void> WriteOn(std::span<const std::byte> data);
  Result<ObjectMetadata> CloseOnce();
  Result<void> Decide();
  Result<void> BeginStream();
  void SendBuffer(bool is_last);
  Result<std::optional<QueuedPart>> NextPart();
  Result<ObjectMetadata> CloseParts();
  [[nodiscard]] int LeastParts() const;
  [[nodiscard]] Result<void> TellProgress() const;

  const Client client_;
  const ObjectName object_;
  const UploadOptions options_;
  const OwnerProcess owner_;
  PartBuffers buffers_;
  std::unique_ptr<PartBuffer> part_;  // It is being filled.
  std::uint64_t position_ = 0;
  bool is_closed_ = false;
  std::optional<Error> error_;
  mutable Mutex mutex_;
  PartQueue queue_ GUARDED_BY(mutex_);

  UploadReport report_;
  std::unique_ptr<StreamWriter> stream_;
  PartsUpload parts_;  // Last: its requests end before the members that they use.
};

}  // namespace gcsflux::internal
