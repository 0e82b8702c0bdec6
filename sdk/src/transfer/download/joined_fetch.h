#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gcsflux/download.h"
#include "transfer/download/direct_fetch.h"
#include "transfer/download/group.h"
#include "transfer/read/pinned_object.h"

namespace gcsflux::internal {

/// How many of the sources, from the first on, one request reads: parts of one object, each behind the one before it.
/// At least 1. Pure.
std::size_t TakeJoined(std::span<const DownloadSource> sources, std::uint64_t max_bytes);

/// Fetches parts of one object that are near each other by one request, and compares the CRC32C of each. If one
/// differs, all are fetched once more.
class JoinedFetch : public GroupFetch {
 public:
  /// The arguments must outlive it.
  JoinedFetch(const DirectReads& reads, std::span<const DownloadSource> sources, std::span<Destination> destinations);

  Result<void> FetchRange(std::size_t range, const std::stop_token& stop) override;
  GroupOutcome Finish(const std::stop_token& stop) override;

 private:
  Result<void> Put(std::uint64_t offset, std::span<const std::byte> bytes);

  const DirectReads& reads_;
  const std::span<const DownloadSource> sources_;
  const std::span<Destination> destinations_;
  const DownloadSource joined_;
  std::vector<std::uint32_t> crc32c_ = {};
  std::size_t at_ = 0;  // The source of the last byte.
  bool is_repeated_ = false;
};

}  // namespace gcsflux::internal
