#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "gcsflux/parallel_writer.h"

namespace gcsflux {

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
