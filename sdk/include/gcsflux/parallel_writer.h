#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "gcsflux/upload.h"

namespace gcsflux {

namespace internal {
class PartsWriter;
}  // namespace internal

/// What a ParallelWriter is asked to do with more than one part.
enum class WritePath {
  kAuto,       ///< Sends parts at the same time where the bucket and the caller's permissions allow it.
  kParallel,   ///< Sends parts, and does not ask for the bucket's settings first: saves two requests.
  kOneStream,  ///< Uses an ObjectWriter: one connection, and nothing temporary.
};

struct ParallelWriterOptions {
  /// Mode, attributes, keys, progress, call and stop_token. `chunk_bytes` is the ObjectWriter's.
  UploadOptions upload = {};
  /// At least 5 MiB. The first parts have a third of it, the next ones half, so that shorter objects use all
  /// connections too; it doubles after each 1,250 parts, up to `max_memory`. The 10,000 parts that there may be hold
  /// 1.6 TB with these defaults, and 5 TB with a `max_memory` of 2 GiB: for larger objects raise both. Raise it for
  /// long, fast networks (each part costs a round trip), lower it where memory is short.
  std::size_t part_bytes = 16U << 20;
  /// For the part that is being filled and those in flight; at least one part. A caller that is faster waits.
  std::uint64_t max_memory = std::uint64_t{256} << 20;
  /// Parts in flight at most, from 1 to kMaxConcurrency.
  int max_concurrency = 16;
  WritePath path = WritePath::kAuto;
  /// No other writer uses the name, and no reader looks for it before Close() has returned. Saves the compose: the
  /// parts are put together under the name itself. Only under WriteMode::kOverwrite, and without holds. Set it for
  /// shards with unique names.
  bool is_private_name = false;
};

/// How a ParallelWriter stores its object.
enum class WriteMethod {
  kUndecided,        ///< So far it is not more than one part.
  kSingleInsert,     ///< One request.
  kOneStream,        ///< ObjectWriter.
  kPartsAndCompose,  ///< Parts under a temporary name, and a compose.
  kParts,            ///< Parts under the name itself.
};

struct ParallelWriterReport {
  WriteMethod method = WriteMethod::kUndecided;
  std::string reason = {};          ///< Of the method.
  std::uint64_t parts = 0;          ///< Begun.
  std::uint64_t most_memory = 0;    ///< The most that parts held at a time, in bytes.
  std::string temporary_name = {};  ///< Of the object, or upload, that is composed from; empty where there is none.
  /// The object is stored, and the temporary object could not be deleted: `gcsflux clean` does that.
  bool has_left_temporary = false;
};

/// Streams an object of unknown length into GCS over many connections, in bounded memory, all or nothing.
///
/// Parts are sent while the caller still writes. More than one part goes to "gcsflux-uploads/RUN/UUID" as an XML
/// multipart upload. Close() compares size and CRC32C of what became of it with what was written. Then one compose of
/// that one source, under the precondition of the WriteMode, makes the object visible under its name and deletes the
/// temporary one. After an error, Cancel(), destruction without Close() or the end of the process the name shows the
/// old content whole or the new: docs/object_streams.md. What a process that was killed has left, `gcsflux clean`
/// removes.
///
/// After an error every further call returns it. For one thread at a time; movable. In a child of fork() every call
/// returns kForked, and destruction does nothing.
class ParallelWriter {
 public:
  /// Makes no request before one part is full and more bytes follow.
  explicit ParallelWriter(Client client, ObjectName object, ParallelWriterOptions options = {});
  ParallelWriter(ParallelWriter&&) noexcept;
  ParallelWriter& operator=(ParallelWriter&&) noexcept;
  ~ParallelWriter();

  /// Copies the bytes; waits while there is no memory for them.
  Result<void> Write(std::span<const std::byte> data);
  /// Sends what is left and commits. Errors as of UploadObject(): kPreconditionFailed leaves the live object as it is.
  /// kOutcomeUnknown where an answer was lost and something else is live since.
  Result<ObjectMetadata> Close();
  /// Gives up: nothing becomes visible, and what was sent is deleted. Takes some seconds at most.
  void Cancel();

  /// Bytes written so far.
  [[nodiscard]] std::uint64_t position() const;
  [[nodiscard]] ParallelWriterReport report() const;

 private:
  std::shared_ptr<internal::PartsWriter> writer_;
};

}  // namespace gcsflux
