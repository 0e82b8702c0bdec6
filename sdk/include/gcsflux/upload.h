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

/// What a write may replace. In every mode a repeated request cannot store twice or undo a rival's later write.
///
/// The answer to an attempt can be lost. Then the object is read back before anything is sent again, and what is sent
/// again is conditional. Under kOverwrite three things can be found there:
/// - What was sent: success.
/// - An object from before the first attempt, by the service's clock alone (the answer's Date, less the time that has
///   passed here, less 2 s): the write was not stored yet. It is repeated under that object's generation.
/// - Any other object: kOutcomeUnknown, and nothing more is sent. The write may have been stored and then replaced. An
///   object that another wrote a moment before the first attempt cannot be told from that, either.
/// Where nothing is there, the write is repeated on condition that nothing is. A rival's DELETE of what the first
/// attempt stored can be undone so: no answer tells that there was an object.
enum class WriteMode {
  kCreate,     ///< Nothing: kPreconditionFailed where an object of the name is live.
  kReplace,    ///< `UploadOptions::generation` and nothing else: kPreconditionFailed otherwise.
  kOverwrite,  ///< Anything. kOutcomeUnknown where it cannot be known whether it was stored: see above.
};

struct UploadOptions {
  WriteMode mode = WriteMode::kOverwrite;
  std::int64_t generation = 0;  ///< For kReplace.
  ObjectAttributes attributes = {};
  std::optional<EncryptionKey> encryption_key = {};  ///< As for InsertObject; kms_key_name likewise.
  std::string kms_key_name = {};
  /// Rounded up to a multiple of 256 KiB. A writer holds one chunk in memory; raise it for long, fast connections
  /// (each chunk costs a round trip), lower it where memory is short.
  std::size_t chunk_bytes = 16U << 20;
  /// Told of all bytes on their way; of a stream the total is not known, and 0.
  ProgressCallback on_progress = {};
  CallOptions call = {};
  std::stop_token stop = {};
};

/// Stores `data` as one object: visible whole or not at all, checked by CRC32C on both sides.
///
/// kCorrupted where the service says to have stored other bytes. Just the generation that it made is deleted then, so
/// that nothing of the upload is visible; what that generation replaced is gone. If the deletion fails the message says
/// which generation remains. kBadResponse where the answer is about another object, or about another number of bytes:
/// the object may be stored.
///
/// A lost acknowledgement is resolved by reading the object back: the same size, CRC32C and attributes count as this
/// call's success. More than a chunk goes over a resumable session; where the service loses that, another one is
/// started from the first byte on, until RetryOptions::deadline has passed without getting further (kSessionLost).
Result<ObjectMetadata> UploadObject(const Client& client, const ObjectName& object, std::span<const std::byte> data,
                                    const UploadOptions& options = {});

/// The same of a local file, one chunk of which is in memory at a time.
///
/// kLocalIo, and nothing is stored: the file cannot be read, is no regular file, or changed meanwhile (its size or its
/// time of modification). For anything else that can be read once, pipes for example, there is ObjectWriter.
Result<ObjectMetadata> UploadFile(const Client& client, const std::string& path, const ObjectName& object,
                                  const UploadOptions& options = {});

/// Streams an object of unknown length into GCS; it becomes visible when Close() succeeds, else never.
///
/// Up to one chunk is held in memory and sent again when a request fails; what was sent before cannot be, so that a
/// session which the service loses ends the upload as kSessionLost, with nothing visible, or as kOutcomeUnknown where
/// the session may have been lost because it had done its work. After an error every further
/// call but Suspend() returns that error. Destroyed without Close() or Suspend(), it cancels the upload. One thread at
/// a time; movable.
class ObjectWriter {
 public:
  /// Makes no request before the first chunk is full.
  explicit ObjectWriter(Client client, ObjectName object, UploadOptions options = {});

  /// Goes on with what Suspend() gave, in this process or another one, within a week of the upload's start. Asks the
  /// service where the session stands; bytes from position() on are to be written next, and those that the service has
  /// already are not sent again. The object's CRC32C is checked over all of its bytes, of this process and earlier
  /// ones.
  ///
  /// What is stored, under which conditions and in which chunks, was decided when the upload began: of `options` only
  /// what concerns the call itself counts. kInvalidArgument: `state` is broken, or of another service than the
  /// client's. kSessionLost: the session has expired or is gone. kOutcomeUnknown: it is gone, and the earlier writer's
  /// Close() may have ended it. After other errors the state can be used again. A state is for one writer at a time.
  static Result<ObjectWriter> Resume(Client client, std::string_view state, UploadOptions options = {});

  ObjectWriter(ObjectWriter&&) noexcept;
  ObjectWriter& operator=(ObjectWriter&&) noexcept;
  ~ObjectWriter();

  /// How many bytes were written, those of earlier processes included: the next one is the source's byte at this place.
  [[nodiscard]] std::uint64_t position() const;

  Result<void> Write(std::span<const std::byte> data);

  /// Sends what is left and commits. Errors as of UploadObject.
  Result<ObjectMetadata> Close();

  /// Ends this writer and leaves the upload as it is, for Resume(). The state says nothing of what was written and not
  /// yet sent, at most a chunk, which is to be written again: Resume()'s position() tells.
  ///
  /// The state is a secret: whoever has it can write to the session. It is also what is left of an upload that has
  /// failed with an error that may pass (kUnavailable, kUnreachable and so on, or kCancelled), after which this can be
  /// called; after others it returns them. After a Close() that failed so there is a state where there was a session:
  /// of more than a chunk. Starts the session where none was needed before.
  Result<std::string> Suspend();

  /// Gives up the upload: nothing becomes visible. Takes 2 s at most. Nothing to do after Close() or Suspend().
  void Cancel();

 private:
  class Upload;
  explicit ObjectWriter(std::unique_ptr<Upload> upload);
  std::unique_ptr<Upload> upload_;
};

}  // namespace gcsflux
