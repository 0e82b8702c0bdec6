#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "gcsflux/client.h"

namespace gcsflux {

/// What a write may replace. In every mode a retry cannot store twice, and cannot undo a later write of another writer.
///
/// The answer to an attempt can be lost. Then the object is read back before anything is sent again, and what is sent
/// again is conditional. Under kOverwrite there are four cases:
/// - The object is what was sent: success.
/// - The object is from before the first attempt: the write was not stored yet. It is repeated under that object's
///   generation. The service's clock alone decides this: the answer's Date, less the time that has passed here, less 2
///   s.
/// - It is any other object: kOutcomeUnknown, and nothing more is sent. The write may have been stored and then
///   replaced. Or another writer wrote the object a moment before the first attempt; that looks the same.
/// - There is no object: the write is repeated on condition that there is none. If another client deleted what the
///   first attempt stored, this undoes the deletion, because no answer tells that there was an object.
///
/// `Error::outcome` says whether a write that failed was stored, whatever the code is. After a lost answer it is
/// kUnknown until the service tells more: if the look at the object is refused (403), the code is kPermissionDenied and
/// the outcome kUnknown. On kUnknown delete nothing that the object may need; read the object, then decide.
enum class WriteMode {
  kCreate,     ///< Nothing: kPreconditionFailed if an object of the name is live.
  kReplace,    ///< Only the generation UploadOptions::generation: otherwise kPreconditionFailed.
  kOverwrite,  ///< Any object. kOutcomeUnknown if it cannot be known whether it was stored: see above.
};

struct UploadOptions {
  WriteMode mode = WriteMode::kOverwrite;
  std::optional<std::int64_t> generation = {};  ///< The generation that kReplace replaces. Required for kReplace.
  ObjectAttributes attributes = {};
  std::optional<EncryptionKey> encryption_key = {};  ///< As for InsertObject; kms_key_name likewise.
  std::optional<std::string> kms_key_name = {};
  /// Rounded up to a multiple of 256 KiB. A writer holds one chunk in memory. Raise it for long, fast connections,
  /// because each chunk costs a round trip. Lower it if memory is short.
  std::size_t chunk_bytes = 16U << 20;
  /// Told of all bytes sent. For a stream the total is unknown, and 0.
  ProgressCallback on_progress = {};
  CallOptions call = {};
  std::stop_token stop = {};
};

/// Stores `data` as one object. It is visible whole or not at all. Both sides check the CRC32C.
///
/// Returns kCorrupted if the answer to the write itself describes other bytes. The generation that this upload made is
/// then deleted, so that nothing of it is visible; the object that it replaced is gone. If the deletion fails, the
/// message says which generation remains. Returns kBadResponse if the answer is about another object or another size;
/// the object may be stored.
///
/// If an answer is lost, the object is read back: the same size, CRC32C and attributes mean success. More than a chunk
/// is sent over a resumable session. If the service loses the session, the upload starts again from the first byte in a
/// new one. After RetryOptions::deadline without progress it returns kSessionLost. If memory runs out, this and all
/// other writing calls return kLocalIo.
Result<ObjectMetadata> UploadObject(const Client& client, const ObjectName& object, std::span<const std::byte> data,
                                    const UploadOptions& options = {});

/// Stores a local file; one chunk at a time is in memory.
///
/// Returns kLocalIo, and stores nothing, if the file cannot be read, is not a regular file, or changed meanwhile: its
/// size, its modification time, or the time of its last status change, which a new name or mode changes too. For pipes
/// and other sources that can be read only once, use ObjectWriter.
Result<ObjectMetadata> UploadFile(const Client& client, const std::string& path, const ObjectName& object,
                                  const UploadOptions& options = {});

/// Streams an object of unknown length into GCS. It becomes visible only if Close() succeeds.
///
/// Up to one chunk is held in memory; if a request fails, that chunk is sent again. Earlier chunks cannot be sent
/// again. So if the service loses the session, the upload ends with kSessionLost, and nothing is visible. If the
/// session may be gone because the upload was complete, it ends with kOutcomeUnknown. After an error every further call
/// except Suspend() returns that error. If it is destroyed without Close() or Suspend(), it cancels the upload. For one
/// thread at a time; movable. The calls of a writer that was moved from return kInvalidArgument.
class ObjectWriter {
 public:
  /// Makes no request before the first chunk is full.
  explicit ObjectWriter(Client client, ObjectName object, UploadOptions options = {});

  /// Continues the upload of a state from Suspend(), in this process or another one, within a week of the upload's
  /// start. Asks the service for the position of the session: write the bytes from position() on next. The object's
  /// CRC32C is checked over all of its bytes, also those of earlier processes.
  ///
  /// What is stored, under which conditions and in which chunks, was decided when the upload began: of `options` only
  /// the members for the call itself count.
  ///
  /// Returns kInvalidArgument if `state` is damaged, or of another service than the client's. Returns kSessionLost if
  /// the session has expired or is gone. Returns kOutcomeUnknown if it is gone, and the earlier writer's Close() may
  /// have completed it. After other errors the state can be used again. Only one writer at a time may use a state.
  static Result<ObjectWriter> Resume(Client client, std::string_view state, UploadOptions options = {});

  ObjectWriter(ObjectWriter&&) noexcept;
  ObjectWriter& operator=(ObjectWriter&&) noexcept;
  ~ObjectWriter();

  /// How many bytes were written, including those of earlier processes. The next byte to write is the source's byte at
  /// this offset.
  [[nodiscard]] std::uint64_t position() const;

  Result<void> Write(std::span<const std::byte> data);

  /// Sends the rest and commits. The errors are those of UploadObject.
  Result<ObjectMetadata> Close();

  /// Ends this writer and keeps the upload for Resume(). The state does not hold the bytes that were written and not
  /// yet sent, at most a chunk. Write them again: after Resume(), position() tells from where.
  ///
  /// The state is a secret: anyone who has it can write to the session. After a temporary failure of the upload
  /// (kUnavailable, kUnreachable and so on, or kCancelled) Suspend() can still be called; after other failures it
  /// returns them. After such a failure of Close() there is a state only if there was a session, which an object of
  /// more than a chunk has. If there is no session yet, Suspend() starts it.
  Result<std::string> Suspend();

  /// Gives up the upload: nothing becomes visible. Takes 2 s at most. After Close() or Suspend() it does nothing.
  void Cancel();

 private:
  class Upload;
  explicit ObjectWriter(std::unique_ptr<Upload> upload);
  std::unique_ptr<Upload> upload_;
};

}  // namespace gcsflux
