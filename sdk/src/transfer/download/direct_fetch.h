#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "base/process/mutex.h"
#include "gcsflux/download.h"
#include "transfer/download/group.h"
#include "transfer/read/pinned_object.h"
#include "transfer/read/range_checksums.h"

namespace gcsflux::internal {

/// How objects are read directly. The references must outlive its users.
struct DirectReads {
  const Client& client;
  const DownloaderOptions& options;
  std::function<void(const ReadTimes&)> on_read = {};  ///< Many threads call it; null if it is not needed.
};

/// The group of one object: it is read whole, or in ranges, one for each range.
GroupPlan PlanDirect(const DownloadSource& source, std::size_t index, std::uint64_t range_bytes);

/// Fetches one object, or a part of one, and compares its CRC32C: an object in one request if it is one range. The
/// combined checksums of several are compared when all have come. If they differ, the ranges are fetched once more; if
/// they differ again, the object is kCorrupted.
class DirectFetch : public GroupFetch {
 public:
  /// The arguments must outlive it.
  DirectFetch(const DirectReads& reads, const DownloadSource& source, Destination& destination, std::size_t ranges);

  Result<void> FetchRange(std::size_t range, const std::stop_token& stop) override;
  GroupOutcome Finish(const std::stop_token& stop) override;

 private:
  // Absent: the whole object, in a request without a range. Returns the CRC32C.
  Result<std::uint32_t> Read(const std::optional<Range>& range, const std::stop_token& stop);

  const DirectReads& reads_;
  const DownloadSource& source_;
  Destination& destination_;
  const std::size_t ranges_;
  PinnedObject object_;
  bool is_repeated_ = false;
  Mutex mutex_;
  RangeChecksums checksums_ GUARDED_BY(mutex_);
};

}  // namespace gcsflux::internal
