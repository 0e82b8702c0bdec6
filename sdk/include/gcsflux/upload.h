#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "gcsflux/client.h"

namespace gcsflux {

namespace internal {
class PartsWriter;
}  // namespace internal

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

/// How an object is sent. The first three can be requested, for objects that are larger than one part.
enum class WritePath {
  /// As parts at the same time, if the bucket and the caller's permissions allow it. In a report: not yet known,
  /// because
  /// there is not more than one part.
  kAuto,
  /// As parts under a temporary name, then a compose. Requested, it is used without a check of the bucket's settings,
  /// which saves two requests.
  kParallel,
  kOneStream,   ///< Over one resumable session: one connection, and no temporary objects.
  kOneRequest,  ///< Only in reports.
  kInPlace,     ///< Only in reports: as parts under the name itself (UploadOptions::is_private_name).
};

/// What an upload has done.
struct UploadReport {
  ObjectMetadata object = {};    ///< Of UploadFile(): what was stored. ObjectWriter::Close() returns it.
  std::uint64_t kept_bytes = 0;  ///< Of UploadFile(): bytes that earlier calls have sent, and that were not sent again.
  WritePath path = WritePath::kAuto;  ///< How the object was sent.
  std::string reason = {};            ///< Why this path was chosen.

  // Of an ObjectWriter:
  std::uint64_t parts = 0;        ///< Parts begun.
  std::uint64_t most_memory = 0;  ///< Most bytes that parts held at the same time.
  /// Name of the temporary object, or of its upload; empty if there is none.
  std::string temporary_name = {};
  /// The object is stored, but the temporary object could not be deleted: `gcsflux clean` deletes it.
  bool has_left_temporary = false;
};

/// Options of all writes. An object of several parts is sent to "gcsflux-uploads/RUN/UUID" as an XML multipart upload.
/// Size and CRC32C of this temporary object are compared with what was written. Then one compose of it, under the
/// precondition of the WriteMode, makes the object visible under its name and deletes the temporary object.
struct UploadOptions {
  WriteMode mode = WriteMode::kOverwrite;       ///< What the write may replace.
  std::optional<std::int64_t> generation = {};  ///< The generation that kReplace replaces. Required for kReplace.
  ObjectAttributes attributes = {};
  std::optional<EncryptionKey> encryption_key = {};  ///< As for InsertObject; kms_key_name likewise.
  std::optional<std::string> kms_key_name = {};
  /// One request of a session. Rounded up to a multiple of 256 KiB. A stream holds one chunk in memory. Raise it for
  /// long, fast connections, because each chunk costs a round trip. Lower it if memory is short.
  std::size_t chunk_bytes = 16U << 20;
  /// Told of all bytes sent, by the thread that writes. For a stream the total is unknown, and 0.
  ProgressCallback on_progress = {};
  CallOptions call = {};
  std::stop_token stop = {};

  /// At least 5 MiB. At the beginning and at the end of an object, parts are shorter, down to 5 MiB, so that all
  /// connections are used. The parts of an ObjectWriter double after each 1,250 parts, up to `part_memory_bytes`. With
  /// these defaults 10,000 parts, the most that an upload may have, hold 1.6 TB; with a `part_memory_bytes` of 2 GiB, 5
  /// TB. For larger objects raise both. Raise it for long, fast networks, because each part costs a round trip. Lower
  /// it if memory is short.
  std::size_t part_bytes = 16U << 20;
  /// For the part that is being filled and those in flight; at least one part. If the memory is used up, the writer
  /// waits.
  std::uint64_t part_memory_bytes = std::uint64_t{256} << 20;
  /// Most parts in flight, from 1 to kMaxConcurrency.
  int max_concurrency = 16;
  WritePath path = WritePath::kAuto;  ///< How an object of several parts is sent.
  /// Promises that no other writer uses the name, and no reader looks for it before the write has returned. The parts
  /// are then joined under the name itself, which saves the compose. Allowed only with WriteMode::kOverwrite and
  /// without holds. Set it for shards with unique names.
  bool is_private_name = false;

  /// For UploadFile() only. What the last call saved; empty if there is nothing. It is continued only if service, file,
  /// object, WriteMode, generation, attributes, keys and user project are those of that call.
  std::string state = {};
  /// For UploadFile() only. Saves the state where a later call finds it, also if this process is killed. Called before
  /// the first byte is sent. An empty state means that nothing is left to continue. Keep states private: anyone with a
  /// state can write to the upload. If it is absent, nothing is kept after a failure.
  std::function<void(const std::string& state)> save_state = {};
};

/// What WritePath::kAuto chooses for objects of more than one part in this bucket: kParallel or kOneStream. Makes two
/// requests at the same time. If the permissions cannot be read, returns kOneStream. Set the answer as the path of many
/// writes: then they do not make these requests. Uses only `call` and `stop` of `options`.
WritePath ChooseWritePath(const Client& client, const std::string& bucket, const UploadOptions& options = {});

/// Up to this size UploadObject() and UploadFile() use one stream: it is as fast as parts, which need four more round
/// trips.
inline constexpr std::uint64_t kLeastParallelUpload = std::uint64_t{32} << 20;

/// Stores `data` as one object. It is visible whole or not at all. Both sides check the CRC32C.
///
/// An object of more than kLeastParallelUpload bytes is sent as parts of at most `part_bytes`, if it is larger than one
/// part, and WritePath and bucket allow it. Else it goes in one request if a chunk holds it, or over one resumable
/// session.
///
/// Returns kCorrupted if the answer to the write itself describes other bytes. The generation that this upload made is
/// then deleted, so that nothing of it is visible; the object that it replaced is gone. If the deletion fails, the
/// message says which generation remains. Returns kBadResponse if the answer is about another object or another size;
/// the object may be stored.
///
/// If an answer is lost, the object is read back: the same size, CRC32C and attributes mean success. If the service
/// loses the session, the upload starts again from the first byte in a new one. After RetryOptions::deadline without
/// progress it returns kSessionLost. If the WriteMode is kCreate or kReplace, and another generation is live, returns
/// kPreconditionFailed before it sends parts. If memory runs out, this and all other writing calls return kLocalIo.
Result<ObjectMetadata> UploadObject(const Client& client, const ObjectName& object, std::span<const std::byte> data,
                                    const UploadOptions& options = {});

/// Stores a regular file, as UploadObject() stores memory. With `save_state` it continues where an earlier call for the
/// same file and object was interrupted, in this process or another one. Holds `part_memory_bytes`, or one chunk, in
/// memory.
///
/// If the call fails temporarily, is stopped, or its process is killed, a later call with the saved state sends what
/// the service does not have. What was sent before is read again: the checksum of the whole file is compared with what
/// the service made of all parts, and that of the file's beginning with what the session has. If the file is another
/// one (device, inode, size, time of modification or of status change), if the state is one of another request, if the
/// upload is gone or its parts may not be listed, or if the bytes differ, it starts again from the first byte. What
/// cannot be used of an earlier upload is deleted, and its session cancelled, if the service answers within seconds.
///
/// If it is unknown whether the object was stored (Error::outcome), it does not start again, and keeps the state. A
/// later call is a write of its own, which stores the file again if it cannot continue.
///
/// Parts cost storage until the upload is continued. `gcsflux clean` removes them, as it does for other writers.
///
/// Returns kLocalIo, and stores nothing, if the file cannot be read, is not a regular file, or changed meanwhile: its
/// size, its modification time, or the time of its last status change, which a new name or mode changes too. For pipes
/// and other sources that can be read only once, use ObjectWriter. Only one call at a time may use a state.
Result<UploadReport> UploadFile(const Client& client, const std::string& path, const ObjectName& object,
                                const UploadOptions& options = {});

/// A name for the state of this file's upload to this object: 64 hexadecimal digits. Another service, file, object,
/// WriteMode or content type has another name. Thread-safe.
std::string UploadStateName(const Client& client, const std::string& path, const ObjectName& object,
                            const UploadOptions& options = {});

/// Streams an object of unknown length into GCS, in bounded memory, all or nothing. It becomes visible only if Close()
/// succeeds. Parts are sent over many connections while the caller still writes.
///
/// The name has either the whole old content or the whole new content: also after an error, Cancel(), destruction
/// without Close() or the end of the process (docs/object_streams.md). One exception: if the service stored other bytes
/// than those that were sent, they are deleted, and the name may have nothing. If a process was killed, `gcsflux clean`
/// removes what it left.
///
/// With WritePath::kOneStream, one chunk is held in memory; if a request fails, that chunk is sent again. Earlier
/// chunks cannot be sent again. So if the service loses the session, the upload ends with kSessionLost, and nothing is
/// visible. If the session may be gone because the upload was complete, it ends with kOutcomeUnknown.
///
/// After an error every further call except Suspend() returns that error. If it is destroyed without Close() or
/// Suspend(), it cancels the upload. For one thread at a time; movable. The calls of a writer that was moved from
/// return kInvalidArgument.
class ObjectWriter {
 public:
  /// Makes no request before one part, or one chunk of a stream, is full and more bytes follow.
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

  /// Copies or sends the bytes. If the memory for parts is used up, it waits.
  Result<void> Write(std::span<const std::byte> data);

  /// Sends the rest and commits. The errors are those of UploadObject(). After kPreconditionFailed the live object is
  /// unchanged, unless Error::outcome is kUnknown. Returns kOutcomeUnknown if an answer was lost and another object is
  /// live. After any error it tries to delete the temporary object. It is not needed: its object exists without it, or
  /// is not stored.
  Result<ObjectMetadata> Close();

  /// Ends this writer and keeps the upload for Resume(). Only with WritePath::kOneStream, else returns
  /// kInvalidArgument. The state does not hold the bytes that were written and not yet sent, at most a chunk. Write
  /// them again: after Resume(), position() tells from where.
  ///
  /// The state is a secret: anyone who has it can write to the session. After a temporary failure of the upload
  /// (kUnavailable, kUnreachable and so on, or kCancelled) Suspend() can still be called; after other failures it
  /// returns them. After such a failure of Close() there is a state only if there was a session, which an object of
  /// more than a chunk has. If there is no session yet, Suspend() starts it.
  Result<std::string> Suspend();

  /// Gives up the upload: nothing becomes visible, and what was sent is deleted. Takes some seconds at most. After
  /// Close() or Suspend() it does nothing.
  void Cancel();

  [[nodiscard]] UploadReport report() const;  ///< What was done so far.

 private:
  explicit ObjectWriter(std::shared_ptr<internal::PartsWriter> writer);
  std::shared_ptr<internal::PartsWriter> writer_;
};

}  // namespace gcsflux
