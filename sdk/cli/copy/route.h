#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>

#include "cli/arguments/tree.h"
#include "gcsflux/client.h"
#include "gcsflux/upload.h"

namespace gcsflux::cli {

struct RouteOptions {
  /// The options of uploads, and the attributes of copies; each copy has its own progress, stop and connections.
  UploadOptions writing = {};
  bool gives_content_type = false;  ///< A copy within the service gets writing's content type, not its source's.
};

/// The parameters of one copy.
struct CopyCall {
  const TreeEntry* present = nullptr;  ///< The entry that it probably replaces; null if there is probably none.
  int connections = 1;                 ///< The most connections that it may use.
  ProgressCallback on_progress = {};
  std::stop_token stop = {};
};

/// Copies entries of one tree to another. Thread-safe.
class Route {
 public:
  virtual ~Route() = default;
  /// Returns how many of its bytes were there from an interrupted run.
  virtual Result<std::uint64_t> Copy(const TreeEntry& source, const CopyCall& call) const = 0;
  /// For an entry that represents a directory.
  virtual Result<void> MakeDirectory(const TreeEntry& source) const = 0;
  /// Deletes an entry at the destination. If it has changed since it was found, it stays.
  virtual Result<void> Delete(const TreeEntry& present, const std::stop_token& stop) const = 0;
  /// If one of the two is a file, computes its checksum. Returns false if they cannot be compared.
  virtual Result<bool> IsSame(const TreeEntry& source, const TreeEntry& present, const std::stop_token& stop) const = 0;
};

/// At least one of the two roots is in a bucket. The arguments must outlive the route.
std::unique_ptr<Route> MakeRoute(const Client& client, const Root& from, const Root& to, const RouteOptions& options);

}  // namespace gcsflux::cli
