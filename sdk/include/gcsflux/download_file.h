#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

#include "gcsflux/download.h"

namespace gcsflux {

struct DownloadFileOptions {
  /// Where something is there already under the file's name: true replaces it, false is kAlreadyExists.
  bool may_replace = true;
  /// A larger object is read as ranges of so many bytes at the same time; at least 1. Raise it where a request's first
  /// byte takes long; what it is set to when a download goes on makes no difference.
  std::uint64_t stripe_bytes = std::uint64_t{16} << 20;
  /// Ranges read at the same time, each over a connection of its own: from 1 to kMaxConcurrency. Raise it until the
  /// network is full; set it to 1 where many files are downloaded at once.
  int max_concurrency = 8;
  /// Waits at the end until the file is on the disk (fsync of it and of its directory). Without it a machine that loses
  /// its power soon after may have lost the file, or its bytes. Set it where the object is deleted next.
  bool is_durable = false;
  std::optional<EncryptionKey> encryption_key = {};  ///< Under which the object is stored.
  /// Told of all bytes of the object that are there, those of an earlier download among them. Called on the threads
  /// that read, several at the same time.
  ProgressCallback on_progress = {};
  CallOptions call = {};
  std::stop_token stop = {};
};

/// What a download has brought.
struct DownloadedFile {
  DownloadSource source = {};    ///< The generation that every byte of the file is of.
  std::uint64_t kept_bytes = 0;  ///< Of them, those that were there from an earlier download.
};

/// Downloads an object into a local file, which appears, or is replaced, only when it is whole and has the object's
/// CRC32C.
///
/// Until then the bytes are in ".NAME.gcsflux-partial" beside it. That stays where the download is cancelled, killed or
/// fails for anything that may pass (the service, the network, a full disk); the next one of the same generation goes
/// on with it, once it has compared what is there with the checksums kept behind it. Another generation begins anew.
/// One download of a file at a time: a second one is kLocalIo.
///
/// kInvalidArgument where no file can have that name (empty, with a byte 0, longer than the file system takes), before
/// anything is fetched. kNotFound; kAborted where the object changed meanwhile; kCorrupted where its CRC32C is wrong
/// twice; kLocalIo where the file cannot be written, or is there and no regular file (a symbolic link is replaced, not
/// followed); else as Client::ReadObject. On every error what was there before under the file's name is as it was.
Result<DownloadedFile> DownloadFile(const Client& client, const ObjectName& object, const std::string& path,
                                    const DownloadFileOptions& options = {});

/// The same of an object as it was listed, which saves a request.
/// kNotFound where it was overwritten since, unless the bucket keeps old generations.
Result<DownloadedFile> DownloadListed(const Client& client, const DownloadSource& source, const std::string& path,
                                      const DownloadFileOptions& options = {});

}  // namespace gcsflux
