#pragma once

#include <cstdint>
#include <memory>

#include "transfer/upload/parts_upload.h"
#include "transfer/upload/source_upload.h"

namespace gcsflux::internal {

/// The bytes of each part but the last one, so that all connections end at about the same time. More than
/// `options.part_bytes` only if 10,000 parts of that length do not hold the source.
std::uint64_t SourcePartBytes(std::uint64_t size, const UploadOptions& options);

/// One upload of a source as parts. Call Begin() or Continue() first, then Finish(). For one thread at a time.
class SourceParts {
 public:
  /// What it does not commit, it deletes, unless it was kept for a later call.
  explicit SourceParts(const SourceUpload& upload)
      : upload_(upload), parts_(upload.client, upload.object, upload.options, upload.is_resumable()) {}

  /// Begins a new upload and saves its state, unless one stream must be used.
  Result<PathChoice> Begin();
  /// Asks what the service has of an earlier upload. Returns kSessionLost if it has nothing.
  Result<void> Continue(const PartsState& state);
  /// Sends what the service does not have, and commits.
  Result<ObjectMetadata> Finish();
  [[nodiscard]] std::uint64_t kept_bytes() const { return kept_bytes_; }

 private:
  Result<void> CheckLive();
  Result<ObjectMetadata> SendAndCommit();
  Result<void> SendParts();
  [[nodiscard]] std::uint64_t PartStart(int number) const {
    return (static_cast<std::uint64_t>(number) - 1) * part_bytes_;
  }
  [[nodiscard]] Result<QueuedPart> ReadPart(int number, const std::shared_ptr<PartBuffers>& buffers) const;
  Result<void> CheckJoined();
  Result<void> TellProgress();
  Error Leave(const Error& error);

  const SourceUpload& upload_;
  std::uint64_t part_bytes_ = 0;
  std::uint64_t kept_bytes_ = 0;
  std::uint64_t told_bytes_ = 0;
  PartsUpload parts_;
};

/// True if a call with these options can continue the upload of the state, which is one of its source and its request.
bool CanContinue(const SourceUpload& upload, const PartsState& state);

}  // namespace gcsflux::internal
