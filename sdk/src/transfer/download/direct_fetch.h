#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "client/reported_checksum.h"
#include "gcsflux/download.h"
#include "transfer/download/unit.h"

namespace gcsflux::internal {

/// The times of one read.
struct ReadTimes {
  std::chrono::nanoseconds first_byte{0};  ///< From the start of the call.
  std::chrono::nanoseconds total{0};
  std::uint64_t bytes = 0;
};

/// How objects are read directly. The references must outlive its users.
struct DirectReads {
  const Client& client;
  const DownloaderOptions& options;
  std::function<void(const ReadTimes&)> on_read = {};  ///< Many threads call it; null if it is not needed.
};

/// The unit of one object: it is read whole, or in ranges, one for each stripe.
UnitPlan PlanDirect(const DownloadSource& source, std::size_t index, std::uint64_t stripe_bytes);

/// Reads the whole object in one request. Checks that size and CRC32C are the listed ones.
Result<void> ReadWhole(const DirectReads& reads, const DownloadSource& source, Destination& destination,
                       const std::stop_token& stop);

/// Fetches one object. Its stripes are of one generation, and their combined checksums are compared with the object's.
/// If they differ, the stripes are fetched once more; if they differ again, the object is kCorrupted.
class DirectFetch : public UnitFetch {
 public:
  /// The arguments must outlive it.
  DirectFetch(const DirectReads& reads, const DownloadSource& source, Destination& destination, std::size_t stripes)
      : reads_(reads), source_(source), destination_(destination), crc32cs_(stripes > 1 ? stripes : 0) {}

  Result<void> FetchPiece(std::size_t piece, const std::stop_token& stop) override;
  UnitOutcome Finish(const std::stop_token& stop) override;

 private:
  Result<void> FetchStripe(std::size_t index, const std::stop_token& stop);
  [[nodiscard]] std::uint32_t CombinedCrc32c() const;

  const DirectReads& reads_;
  const DownloadSource& source_;
  Destination& destination_;
  std::vector<std::uint32_t> crc32cs_;  // Of the stripes; the thread that fetches a stripe writes its element. Empty if
                                        // the object is read whole.
  ReportedChecksum reported_;
  bool is_repeated_ = false;
};

}  // namespace gcsflux::internal
