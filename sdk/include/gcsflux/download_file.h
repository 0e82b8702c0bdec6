#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "gcsflux/download.h"

namespace gcsflux {

/// For DownloadFile() and DownloadListed().
struct DownloadFileOptions {
  /// If the file's name is taken, true replaces the file, and false returns kAlreadyExists.
  bool may_replace = true;
  /// A larger object is read by several requests at the same time, of at most this size; at least 1. They fetch at most
  /// 128 MiB ahead of the file, and at most two requests for each connection, within
  /// ClientOptions::max_undelivered_bytes. Lower it if memory is scarce. A resumed download may use another value.
  std::uint64_t range_bytes = std::uint64_t{16} << 20;
  /// Most ranges read at the same time, each over its own connection: from 1 to kMaxConcurrency. Raise it until the
  /// network is full. Set it to 1 if many files are downloaded at once.
  int max_concurrency = 8;
  /// Waits at the end until the file is on the disk (fsync of the file and of its directory). Without it a power
  /// failure soon after can lose the file or its bytes. Set it if the object is deleted next.
  bool is_durable = false;
  /// The file gets the decompressed bytes if the object has Content-Encoding: gzip and its bytes begin as gzip data
  /// does (RFC 1952); this costs one more request. The stored bytes are compared with the checksum first, beside the
  /// file, then decompressed on the disk. If they are damaged, returns kUndecodable. Set it if the writer of the
  /// objects compressed them.
  bool decompress_gzip = false;
  std::optional<EncryptionKey> encryption_key = {};  ///< The key under which the object is stored.
  /// Told of all bytes that are in the file, including those of an earlier download, by the thread that calls
  /// DownloadFile().
  ProgressCallback on_progress = {};
  CallOptions call = {};
  std::stop_token stop = {};
};

/// Downloads an object into a local file. The file appears, or is replaced, only when it is complete and has the
/// object's CRC32C, if the service gives one (ClientOptions::require_checksum).
///
/// Until then the bytes are in ".NAME.gcsflux-partial" in the same directory. If the download is cancelled, is killed,
/// or fails for a reason that may pass (the service, the network, a full disk), that partial file stays. The next
/// download of the same generation compares it with the checksums stored at its end, and resumes it. If the generation
/// is another one, the download starts again from the beginning. Only one download of a file may run at a time: a
/// second one returns kLocalIo. If the partial file or its directory is removed, moved or replaced meanwhile, the
/// download returns kLocalIo, and touches no other file of that name.
///
/// The file is a new one, with the mode that the process's umask leaves and the time of the download, also if it
/// replaces a file.
///
/// Returns kInvalidArgument, before anything is fetched, if no file can have that name: it is empty, has a byte 0, or
/// is too long for the file system. Returns kNotFound if there is no such object, kAborted if the object changed
/// meanwhile, and kCorrupted if its CRC32C is wrong twice. Returns kLocalIo if the file cannot be written, or something
/// other than a regular file has its name. A symbolic link is replaced, not followed, but a link in /dev or /proc, such
/// as /dev/stdout, is kLocalIo too. Other errors are those of
/// Client::ReadObject. After every error the file's name holds what it held before.
///
/// The summary's `bytes` are those that this call fetched: the other bytes of the object were in the partial file.
Result<ReadSummary> DownloadFile(const Client& client, const ObjectName& object, const std::string& path,
                                 const DownloadFileOptions& options = {});

/// Downloads an object as it was listed, which saves a request. Returns kNotFound if the object was overwritten since,
/// unless the bucket keeps old generations.
Result<ReadSummary> DownloadListed(const Client& client, const DownloadSource& source, const std::string& path,
                                   const DownloadFileOptions& options = {});

/// True if DownloadFile() gives such names to its partial files. Code that copies directories leaves such files out.
/// Thread-safe.
bool IsPartialFileName(std::string_view name);

}  // namespace gcsflux
