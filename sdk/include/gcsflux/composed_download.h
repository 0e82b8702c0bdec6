#pragma once

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>

#include "gcsflux/client.h"

// What composed downloads leave in a bucket when their process dies, and its removal.
namespace gcsflux {

struct CleanOptions {
  /// Composites that are younger are left alone: somebody may be reading them. A composite lives for seconds; lower it
  /// where nobody else uses the bucket.
  std::chrono::seconds older_than{3600};
  CallOptions call = {};
  std::stop_token stop = {};
};

struct CleanReport {
  std::uint64_t found = 0;    ///< Composed objects under "dataflux-composed-objects/".
  std::uint64_t deleted = 0;  ///< Gone now; somebody else may have been faster.
  std::uint64_t deleted_bytes = 0;
  std::uint64_t kept = 0;  ///< Too young.
};

/// Deletes the composites that processes have left in a bucket, ours and those of Google's connector for PyTorch: what
/// is stored under "dataflux-composed-objects/", was composed, and is older than the options say, by this machine's
/// clock. Objects there that were never composed are not looked at.
///
/// The first failure ends it as that error: what was deleted until then is gone, and it can be called again.
Result<CleanReport> CleanComposites(const Client& client, const std::string& bucket, const CleanOptions& options = {});

}  // namespace gcsflux
