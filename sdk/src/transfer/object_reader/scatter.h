#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "transfer/object_reader/join_ranges.h"

namespace gcsflux::internal {

/// Bytes in memory and their checksum.
struct SummedBytes {
  std::span<const std::byte> bytes = {};
  std::uint32_t sum = 0;
};

/// Copies the bytes of a request to their destinations. If a checksum is requested, sums those of each destination
/// while they are in the CPU's caches. They come in order. After a failure they may come again, from the request's
/// start.
class Scatter {
 public:
  explicit Scatter(const JoinedRange& request, std::optional<Checksum> kind = {});
  void Put(std::uint64_t offset, std::span<const std::byte> bytes);
  /// Empty if no checksum is requested.
  [[nodiscard]] std::vector<SummedBytes> TakeSums() { return std::move(sums_); }

 private:
  const JoinedRange& request_;
  const std::optional<Checksum> kind_;
  std::vector<SummedBytes> sums_;  // By part.
  std::size_t first_ = 0;          // The parts before it lie before what came last.
  std::uint64_t position_;
};

/// The checksum of each range's destination, which consists of some of `parts`, or is empty.
std::vector<std::uint32_t> JoinSums(std::span<const RangeRead> ranges, std::vector<SummedBytes> parts, Checksum kind);

}  // namespace gcsflux::internal
