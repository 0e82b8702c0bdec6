#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "client/client_core.h"
#include "transfer/upload/read_back.h"
#include "wire/resumable_upload.h"
#include "wire/upload_state.h"

namespace gcsflux::internal {

/// Consecutive bytes of an upload.
struct UploadChunk {
  std::uint64_t offset = 0;  ///< Offset in the object.
  std::span<const std::byte> data = {};
  bool is_last = false;  ///< The end of the object.
};

/// A resumable upload and its requests; its caller decides about retries. Used by one thread.
///
/// The service has acknowledged the bytes up to position(), and their CRC32C is known.
class UploadSession {
 public:
  /// The session starts at the first Send(). `total` is the object's size for progress reports; 0 if it is unknown.
  UploadSession(const ClientCore& core, ObjectName object, InsertObjectOptions insert, std::uint64_t total = 0)
      : core_(core),
        object_name_(std::move(object)),
        insert_(std::move(insert)),
        total_(total),
        guard_{.generation = insert_.preconditions.if_generation_match} {}
  /// Continues from a state.
  UploadSession(const ClientCore& core, const UploadState& state, const InsertObjectOptions& options);

  [[nodiscard]] std::uint64_t position() const { return position_; }
  [[nodiscard]] bool is_started() const { return protocol_.has_value(); }

  /// Sends as much of the chunk as possible: whole quanta, or if it is the last chunk, all of it and the object's
  /// commit. The chunk contains position(). After a failure, the same chunk continues where it was. The errors are
  /// those of ResumableUpload, and kCorrupted if the session was completed with other bytes.
  Result<void> Send(const UploadChunk& chunk, const std::string& id, Attempts& attempts);

  /// Starts a session if there is none. If the session was resumed, asks for its position.
  Result<void> Settle(const std::string& id, Attempts& attempts);

  /// The object, after its last chunk was sent. Checks size and CRC32C. The errors are those of CheckStored(). An
  /// object of another writer is not deleted.
  Result<ObjectMetadata> Finish();

  /// The session and its bytes are lost. The next Send() starts another session at position 0.
  void StartOver();

  /// The state that another process needs to continue; only after the session has started.
  [[nodiscard]] UploadState state() const;

  /// Ends the session at the service, with one attempt of 2 s at most. A session that remains expires in a week, and
  /// was never visible.
  void Cancel();

 private:
  Result<void> Start(const std::string& id, Attempts& attempts);
  Result<void> Exchange(std::span<const std::byte> unsent, bool is_last, const std::string& id, Attempts& attempts);
  void NoteLast(std::span<const std::byte> unsent, const Attempts& attempts);
  void TakeAcknowledged(std::span<const std::byte> unsent);
  Result<void> FindCommitted(const Error& loss, const std::string& id, Attempts& attempts);
  Result<void> TakeReadBack(ReadBackResult look, const Error& loss);

  const ClientCore& core_;
  const OwnerProcess owner_;
  const ObjectName object_name_;
  InsertObjectOptions insert_;
  const std::uint64_t total_ = 0;
  const bool is_resumed_ = false;  // The attributes of the object are unknown here.
  std::optional<ResumableUpload> protocol_;
  std::uint64_t position_ = 0;
  std::uint32_t crc32c_ = 0;       // Of the bytes up to position_.
  bool may_be_committed_ = false;  // The last chunk was sent, and its answer was lost.
  bool has_sent_last_ = false;
  bool has_looked_ = false;  // An earlier session's commit may still be found.
  // What is stored if the last chunk is committed, and since when that is possible; in this process.
  SentObject whole_;
  std::optional<Timing::TimePoint> first_commit_;
  WriteGuard guard_;  // The precondition of insert_.
  std::optional<ObjectMetadata> object_;
};

}  // namespace gcsflux::internal
