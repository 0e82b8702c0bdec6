#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>

#include "cli/arguments/tree.h"
#include "cli/copy/gzip.h"
#include "gcsflux/client.h"
#include "gcsflux/upload.h"

namespace gcsflux::cli {

struct RouteOptions {
  /// The options of uploads; each has its own attributes, progress, stop and connections.
  UploadOptions writing = {};
  /// Of what is written. If absent, a file's extension decides, and a copy within the service keeps its source's.
  std::optional<std::string> content_type = {};
  std::optional<std::string> cache_control = {};
  std::optional<std::map<std::string, std::string>> metadata = {};  ///< Custom metadata.
  GzipRule compressed = {};                                         ///< Which uploads are compressed.
  bool decompresses_gzip = false;  ///< Files get the decompressed bytes of objects with Content-Encoding: gzip.
};

/// The options for uploading `file` (or a pipe) as this object.
UploadOptions WritingOf(const RouteOptions& options, const std::string& file, const ObjectName& object);

/// The parameters of one copy.
struct CopyCall {
  const TreeEntry* present = nullptr;  ///< The entry that it probably replaces; null if there is probably none.
  int connections = 1;                 ///< The most connections that it may use.
  bool is_move = false;                ///< The source shall go, so that a move will do.
  ProgressCallback on_progress = {};
  std::stop_token stop = {};
};

struct CopyOutcome {
  std::uint64_t kept_bytes = 0;        ///< Bytes that were there from an interrupted run.
  std::int64_t source_generation = 0;  ///< Of an object that the service copied or moved.
  bool is_moved = false;               ///< The source has gone.
};

/// Copies entries of one tree to another; at least one of the two roots is in a bucket. The arguments must outlive it.
/// Thread-safe.
class Route {
 public:
  Route(const Client& client, const Root& from, const Root& to, const RouteOptions& options)
      : client_(client), from_(from), to_(to), options_(options) {}

  /// An entry without a generation was not looked up.
  [[nodiscard]] Result<CopyOutcome> Copy(const TreeEntry& source, const CopyCall& call) const;
  /// For an entry that represents a directory.
  [[nodiscard]] Result<void> MakeDirectory(const TreeEntry& source) const;
  /// Deletes an entry at the destination. If an object has changed since it was found, it stays.
  [[nodiscard]] Result<void> Delete(const TreeEntry& present, const std::stop_token& stop) const;
  /// Deletes this generation of an object at the source, and no other.
  [[nodiscard]] Result<void> DeleteSource(const TreeEntry& source, std::int64_t generation,
                                          const std::stop_token& stop) const;
  /// If one of the two is a file, computes its checksum. Returns false if they cannot be compared.
  [[nodiscard]] Result<bool> IsSame(const TreeEntry& source, const TreeEntry& present,
                                    const std::stop_token& stop) const;

 private:
  [[nodiscard]] Result<CopyOutcome> Upload(const TreeEntry& source, const CopyCall& call) const;
  [[nodiscard]] Result<CopyOutcome> Download(const TreeEntry& source, const CopyCall& call) const;
  [[nodiscard]] Result<CopyOutcome> CopyWithin(const TreeEntry& source, const CopyCall& call) const;

  const Client& client_;
  const Root& from_;
  const Root& to_;
  const RouteOptions& options_;
  mutable std::atomic<bool> is_move_served_ = true;
};

}  // namespace gcsflux::cli
