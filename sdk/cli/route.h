#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>

#include "cli/tree.h"
#include "gcsflux/client.h"
#include "gcsflux/upload.h"

namespace gcsflux::cli {

struct RouteOptions {
  /// How uploads are made, and what copies are given; progress and stop are each copy's own.
  UploadOptions upload = {};
  bool gives_content_type = false;  ///< A copy within the service is given upload's content type, not its source's.
};

/// What one copy is told.
struct CopyCall {
  const TreeEntry* present = nullptr;  ///< What it probably replaces; null where probably nothing is there.
  int connections = 1;                 ///< It may use, where it can use more than one.
  ProgressCallback on_progress = {};
  std::stop_token stop = {};
};

/// How entries of one tree get into another. Thread-safe.
class Route {
 public:
  virtual ~Route() = default;
  /// Returns how many of its bytes were there from an interrupted run.
  virtual Result<std::uint64_t> Copy(const TreeEntry& source, const CopyCall& call) const = 0;
  /// For an entry that stands for a directory.
  virtual Result<void> MakeDirectory(const TreeEntry& source) const = 0;
  /// Of the destination; what has changed since it was looked at stays.
  virtual Result<void> Delete(const TreeEntry& present, const std::stop_token& stop) const = 0;
  /// The file's checksum is computed where one of the two is a file; false where they cannot be compared.
  virtual Result<bool> IsSame(const TreeEntry& source, const TreeEntry& present, const std::stop_token& stop) const = 0;
};

/// At least one of the two is in a bucket. All must live as long as the route.
std::unique_ptr<Route> MakeRoute(const Client& client, const Root& from, const Root& to, const RouteOptions& options);

}  // namespace gcsflux::cli
