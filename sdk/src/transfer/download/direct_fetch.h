#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "base/process/mutex.h"
#include "gcsflux/download.h"
#include "transfer/download/unit.h"
#include "transfer/read/pinned_object.h"
#include "transfer/read/range_checksums.h"

namespace gcsflux::internal {

/// How objects are read directly. The references must outlive its users.
struct DirectReads {
  const Client& client;
  const DownloaderOptions& options;
  std::function<void(const ReadTimes&)> on_read = {};  ///< Many threads call it; null if it is not needed.
};

/// The unit of one object: it is read whole, or in ranges, one for each stripe.
UnitPlan PlanDirect(const DownloadSource& source, std::size_t index, std::uint64_t stripe_bytes);

/// Fetches one object, and compares its CRC32C: whole in one request if it is one stripe. The combined checksums of
/// several are compared when all have come. If they differ, the stripes are fetched once more; if they differ again,
/// the object is kCorrupted.
class DirectFetch : public UnitFetch {
 public:
  /// The arguments must outlive it.
  DirectFetch(const DirectReads& reads, const DownloadSource& source, Destination& destination, std::size_t stripes)
      : reads_(reads),
        source_(source),
        destination_(destination),
        stripes_(stripes),
        object_(reads.client, source, reads.options.encryption_key, reads.options.call) {}

  Result<void> FetchPiece(std::size_t piece, const std::stop_token& stop) override;
  UnitOutcome Finish(const std::stop_token& stop) override;

 private:
  // Absent: the whole object, in a request without a range. Returns the CRC32C.
  Result<std::uint32_t> Read(const std::optional<Extent>& range, const std::stop_token& stop);

  const DirectReads& reads_;
  const DownloadSource& source_;
  Destination& destination_;
  const std::size_t stripes_;
  PinnedObject object_;
  bool is_repeated_ = false;
  Mutex mutex_;
  RangeChecksums checksums_ GUARDED_BY(mutex_);
};

}  // namespace gcsflux::internal
