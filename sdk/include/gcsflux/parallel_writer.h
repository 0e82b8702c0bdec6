#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "gcsflux/upload.h"

namespace gcsflux {

namespace internal {
class PartsWriter;
}  // namespace internal

/// How a ParallelWriter sends an object that is larger than one part.
enum class WritePath {
  kAuto,       ///< Sends parts at the same time if the bucket and the caller's permissions allow it.
  kParallel,   ///< Sends parts without a check of the bucket's settings, which saves two requests.
  kOneStream,  ///< Uses an ObjectWriter: one connection, and no temporary objects.
};

/// What WritePath::kAuto chooses for objects of more than one part in this bucket: kParallel or kOneStream. Makes two
/// requests at the same time. If the permissions cannot be read, returns kOneStream. Set the answer as the path of many
/// writers: then they do not make these requests. Uses only `call` and `stop` of `options`.
WritePath ChooseWritePath(const Client& client, const std::string& bucket, const UploadOptions& options = {});

struct ParallelWriterOptions {
  /// Mode, attributes, keys, progress, call and stop_token. `chunk_bytes` is for the ObjectWriter.
  UploadOptions upload = {};
  /// At least 5 MiB. At the beginning and at the end of an object, parts are shorter, down to 5 MiB, so that all
  /// connections are used. It doubles after each 1,250 parts, up to `part_memory_bytes`. With these defaults 10,000
  /// parts, the most that an upload may have, hold 1.6 TB; with a `part_memory_bytes` of 2 GiB, 5 TB. For larger
  /// objects raise both. Raise it for long, fast networks, because each part costs a round trip. Lower it if memory is
  /// short.
  std::size_t part_bytes = 16U << 20;
  /// For the part that is being filled and those in flight; at least one part. If the memory is used up, Write() waits.
  std::uint64_t part_memory_bytes = std::uint64_t{256} << 20;
  /// Most parts in flight, from 1 to kMaxConcurrency.
  int max_concurrency = 16;
  WritePath path = WritePath::kAuto;
  /// Promises that no other writer uses the name, and no reader looks for it before Close() has returned. The parts are
  /// then joined under the name itself, which saves the compose. Allowed only with WriteMode::kOverwrite and without
  /// holds. Set it for shards with unique names.
  bool is_private_name = false;
};

/// How a ParallelWriter stores its object.
enum class WriteMethod {
  kUndecided,        ///< Not yet known: there is not more than one part.
  kSingleInsert,     ///< One request.
  kOneStream,        ///< Through an ObjectWriter.
  kPartsAndCompose,  ///< Parts under a temporary name, then a compose.
  kParts,            ///< Parts under the name itself.
};

struct ParallelWriterReport {
  WriteMethod method = WriteMethod::kUndecided;
  std::string reason = {};        ///< Why this method was chosen.
  std::uint64_t parts = 0;        ///< Parts begun.
  std::uint64_t most_memory = 0;  ///< Most bytes that parts held at the same time.
  /// Name of the temporary object, or of its upload; empty if there is none.
  std::string temporary_name = {};
  /// The object is stored, but the temporary object could not be deleted: `gcsflux clean` deletes it.
  bool has_left_temporary = false;
};

/// Streams an object of unknown length into GCS over many connections, in bounded memory, all or nothing.
///
/// Parts are sent while the caller still writes. If there is more than one part, they go to "gcsflux-uploads/RUN/UUID"
/// as an XML multipart upload. Close() compares size and CRC32C of the temporary object with what was written. Then one
/// compose of that object, under the precondition of the WriteMode, makes the object visible under its name and deletes
/// the temporary object.
///
/// The name has either the whole old content or the whole new content: also after an error, Cancel(), destruction
/// without Close() or the end of the process (docs/object_streams.md). One exception: if the service stored other bytes
/// than those that were sent, they are deleted, and the name may have nothing. If a process was killed, `gcsflux clean`
/// removes what it left.
///
/// After an error every further call returns that error. For one thread at a time; movable. The calls of a writer that
/// was moved from return kInvalidArgument. In a child of fork() every call returns kForked, and destruction does
/// nothing.
class ParallelWriter {
 public:
  /// Makes no request until one part is full and more bytes follow.
  explicit ParallelWriter(Client client, ObjectName object, ParallelWriterOptions options = {});
  ParallelWriter(ParallelWriter&&) noexcept;
  ParallelWriter& operator=(ParallelWriter&&) noexcept;
  ~ParallelWriter();

  /// Copies the bytes. If the memory is used up, it waits.
  Result<void> Write(std::span<const std::byte> data);
  /// Sends the rest and commits. The errors are those of UploadObject(). After kPreconditionFailed the live object is
  /// unchanged, unless Error::outcome is kUnknown. Returns kOutcomeUnknown if an answer was lost and another object is
  /// live. After any error it tries to delete the temporary object. It is not needed: its object exists without it, or
  /// is not stored.
  Result<ObjectMetadata> Close();
  /// Cancels the upload: nothing becomes visible, and what was sent is deleted. Takes some seconds at most.
  void Cancel();

  /// Bytes written so far.
  [[nodiscard]] std::uint64_t position() const;
  [[nodiscard]] ParallelWriterReport report() const;

 private:
  std::shared_ptr<internal::PartsWriter> writer_;
};

struct ResumableFileOptions {
  /// How the file is stored. A file of more than kLeastParallelFile bytes is sent as parts of at most `part_bytes`, if
  /// it is larger than one part and WritePath and bucket allow it. Each of the `max_concurrency` connections holds one
  /// part in memory. The parts grow if 10,000 do not hold the file; then fewer are in flight, so that they fit into
  /// `part_memory_bytes`. Must not be a private name. Several threads at the same time call `upload.on_progress`.
  ParallelWriterOptions writing = {};
  /// What the last call saved. Empty if there is nothing. It is continued only if service, file, object, WriteMode,
  /// generation, attributes, keys and user project are those of that call. A state of an earlier version does not tell
  /// them, and is not continued.
  std::string state = {};
  /// Saves the state where a later call finds it, also if this process is killed. Called before the first byte is sent.
  /// An empty state means that nothing is left to continue. Keep states private: anyone with a state can write to the
  /// upload. If it is absent, nothing is kept after a failure.
  std::function<void(const std::string& state)> save_state = {};
};

/// Up to this size one stream is as fast as parts, which need four more round trips.
inline constexpr std::uint64_t kLeastParallelFile = std::uint64_t{32} << 20;

struct StoredFile {
  ObjectMetadata object = {};
  std::uint64_t kept_bytes = 0;  ///< Sent by earlier calls, and not sent again.
  WriteMethod method = WriteMethod::kUndecided;
  std::string reason = {};  ///< Why this method was chosen.
};

/// Stores a regular file, and continues where an earlier call for the same file and object was interrupted, in this
/// process or another one.
///
/// A large file goes up over many connections: as parts of a temporary object, which one compose makes visible under
/// the precondition of the WriteMode (parallel_writer.h). Else it goes in one request if a chunk holds it, or over one
/// resumable session. The object is visible whole or not at all. Both sides check the CRC32C of all bytes.
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
/// Returns kLocalIo, and stores nothing, if the file cannot be read, is not a regular file, or changed meanwhile, as
/// for UploadFile(). If the WriteMode is kCreate or kReplace, and another generation is live, returns
/// kPreconditionFailed before it sends parts, also if it continues. Otherwise the errors are those of UploadFile().
/// Only one call at a time may use a state.
Result<StoredFile> UploadFileResumably(const Client& client, const std::string& path, const ObjectName& object,
                                       const ResumableFileOptions& options = {});

/// A name for the state of this file's upload to this object: 64 hexadecimal digits. Another service, file, object,
/// WriteMode or content type has another name. Thread-safe.
std::string UploadStateName(const Client& client, const std::string& path, const ObjectName& object,
                            const UploadOptions& options = {});

}  // namespace gcsflux
