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
struct UploadPiece {
  std::uint64_t offset = 0;  ///< In the object.
  std::span<const std::byte> data = {};
  bool is_last = false;  ///< They end the object.
};

/// A resumable upload with its requests; when to repeat them is its caller's. Used by one thread.
///
/// Bytes up to position() are safe with the service: it has acknowledged them, and their CRC32C is known.
class UploadSession {
 public:
  /// Starts at the first Send(). `total` is the object's size for whoever watches the progress, 0 where it is not
  /// known.
  UploadSession(const ClientCore& core, ObjectName object, InsertObjectOptions insert, std::uint64_t total = 0)
      : core_(core),
        object_name_(std::move(object)),
        insert_(std::move(insert)),
        total_(total),
        guard_{.generation = insert_.preconditions.if_generation_match} {}
  /// Goes on where a state says.
  UploadSession(const ClientCore& core, const UploadState& state, const InsertObjectOptions& options);

  [[nodiscard]] std::uint64_t position() const { return position_; }
  [[nodiscard]] bool is_started() const { return protocol_.has_value(); }

  /// Makes what can be sent of the piece, which holds position(), safe: whole quanta of it, or where it is the last all
  /// of it and the object's commit. After a failure the same piece goes on where it stood. Errors are as those of
  /// ResumableUpload; kCorrupted where the session was completed with other bytes.
  Result<void> Send(const UploadPiece& piece, const std::string& id, Attempts& attempts);

  /// Starts a session where there is none, asks one that was resumed where it stands.
  Result<void> Settle(const std::string& id, Attempts& attempts);

  /// The object after its last piece was sent: size and CRC32C are those of what was sent. Errors as of CheckStored();
  /// what another writer has stored is not deleted.
  Result<ObjectMetadata> Finish();

  /// The session's bytes are lost with it: the next Send() starts another one, at position 0.
  void StartOver();

  /// What another process needs to go on; only once it is started.
  [[nodiscard]] UploadState state() const;

  /// Ends the session at the service, at the first attempt and within 2 s or never: one that stays behind expires in a
  /// week, and was never visible.
  void Cancel();

 private:
  Result<void> Start(const std::string& id, Attempts& attempts);
  Result<void> Exchange(std::span<const std::byte> unsent, bool is_last, const std::string& id, Attempts& attempts);
  void NoteLast(std::span<const std::byte> unsent, const Attempts& attempts);
  void TakeAcknowledged(std::span<const std::byte> unsent);
  Result<void> FindCommitted(const Error& loss, const std::string& id, Attempts& attempts);
  Result<void> TakeLook(Look look, const Error& loss);

  const ClientCore& core_;
  const ProcessMark made_in_;
  const ObjectName object_name_;
  InsertObjectOptions insert_;
  const std::uint64_t total_ = 0;
  const bool is_resumed_ = false;  // What the object is given beside its bytes is not known here.
  std::optional<ResumableUpload> protocol_;
  std::uint64_t position_ = 0;
  std::uint32_t crc32c_ = 0;       // Of the bytes up to position_.
  bool may_be_committed_ = false;  // The last piece was sent, and its answer is not known.
  bool has_sent_last_ = false;
  bool has_looked_ = false;  // An earlier session's commit may still be found.
  // What is stored where a last piece that was sent is committed, and since when it can be; of this process.
  SentObject whole_;
  std::optional<Timing::TimePoint> first_commit_;
  WriteGuard guard_;  // insert_'s condition.
  std::optional<ObjectMetadata> object_;
};

}  // namespace gcsflux::internal
