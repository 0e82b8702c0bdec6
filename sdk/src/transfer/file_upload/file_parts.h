#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

#include "transfer/file_upload/file_upload.h"
#include "transfer/upload/multipart_upload.h"
#include "transfer/upload/write_path.h"
#include "wire/upload_state.h"

namespace gcsflux::internal {

/// The bytes of each part but the last one, so that all connections end at about the same time. More than
/// `writing.part_bytes` only if 10,000 parts of that length do not hold the file.
std::uint64_t FilePartBytes(std::uint64_t size, const ParallelWriterOptions& writing);

/// One upload of a file as parts of a temporary object. Call Begin() or Continue() first, then Finish(). For one thread
/// at a time.
class FileParts {
 public:
  explicit FileParts(const FileUpload& upload) : upload_(upload) {}
  /// Deletes what was sent, unless it was kept for a later call.
  ~FileParts();
  FileParts(const FileParts&) = delete;
  FileParts& operator=(const FileParts&) = delete;

  /// Begins a new upload and saves its state, unless one stream must be used.
  Result<PathChoice> Begin();
  /// Asks what the service has of an earlier upload. Returns kSessionLost if it has nothing.
  Result<void> Continue(const PartsState& state);
  /// Sends what the service does not have, and commits.
  Result<ObjectMetadata> Finish();
  [[nodiscard]] std::uint64_t kept_bytes() const { return kept_bytes_; }

 private:
  Result<PathChoice> Choose();
  Result<void> CheckLive();
  Result<void> Start();
  Result<void> FindParts(const PartsState& state);
  Result<ObjectMetadata> SendAndCommit();
  Result<ObjectMetadata> SendParts();
  Result<void> SendPart(std::size_t index, const std::stop_token& stop);
  Result<ObjectMetadata> CheckMade();
  Result<ObjectMetadata> Commit(const ObjectMetadata& made);
  Error Leave(const Error& error);
  void Drop();
  [[nodiscard]] std::vector<std::byte> TakeRoom();
  void GiveBack(std::vector<std::byte> room);

  const FileUpload& upload_;
  ObjectName temporary_;
  std::uint64_t part_bytes_ = 0;
  std::optional<MultipartUpload> parts_;
  std::map<int, ListedPart> held_;      // Of an earlier call, by number.
  std::optional<ObjectMetadata> made_;  // The parts, joined, and not yet committed.
  bool may_be_made_ = false;            // An object was made of the parts, or not: no answer tells.
  std::atomic<std::uint64_t> kept_bytes_ = 0;
  std::atomic<std::uint64_t> sent_bytes_ = 0;
  std::mutex mutex_;
  std::vector<std::vector<std::byte>> rooms_;  // Memory that is used again. Guarded by mutex_.
};

/// True if a call with these options can continue the upload of the state, which is one of its file and its request.
bool CanContinue(const FileUpload& upload, const PartsState& state);

/// Deletes the parts of an upload that will not be continued. Takes 4 s at most.
void DropParts(const FileUpload& upload, const PartsState& state);

}  // namespace gcsflux::internal
