#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace gcsflux::internal {

/// Indices in an order that seed and epoch determine: each is drawn from a buffer of the next indices. The times of
/// their arrival make no difference. Pure.
class ShuffleBuffer {
 public:
  ShuffleBuffer(std::uint64_t capacity, std::uint64_t seed, std::uint64_t epoch);

  /// How many indices must be known for `draws` draws from the beginning, unless there are no more.
  [[nodiscard]] std::uint64_t NeededFor(std::uint64_t draws) const {
    return draws + std::min(capacity_, std::numeric_limits<std::uint64_t>::max() - draws);
  }
  /// The next index, which must exist. At least as many indices must be `known` as are needed.
  std::size_t Draw(std::size_t known);

  [[nodiscard]] std::uint64_t drawn() const { return drawn_; }
  /// The indices that were taken into the buffer and not drawn. All indices from next() on follow them.
  [[nodiscard]] const std::vector<std::size_t>& pending() const { return buffer_; }
  [[nodiscard]] std::size_t next() const { return seen_; }

 private:
  std::uint64_t capacity_;
  std::uint64_t key_;
  std::uint64_t drawn_ = 0;
  std::size_t seen_ = 0;
  std::vector<std::size_t> buffer_;
};

}  // namespace gcsflux::internal
