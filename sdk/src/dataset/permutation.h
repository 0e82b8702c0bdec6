#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace gcsflux::internal {

/// A pseudo-random permutation of [0, count). The same key gives the same permutation on every machine.
///
/// Up to kMostListed indices are shuffled in a list (Fisher and Yates), so that every order is as likely as any other.
/// Of more indices, each is computed alone: by a Feistel network over the next power of four, repeated until the value
/// is in range (at most four times on average). It shuffles samples; it does not protect secrets. Thread-safe.
class Permutation {
 public:
  static constexpr std::uint64_t kMostListed = 4096;  // A Feistel network over a small domain prefers some orders.

  /// `count` is at least 1.
  Permutation(std::uint64_t count, std::uint64_t seed, std::uint64_t epoch);

  /// For an index below `count`.
  [[nodiscard]] std::uint64_t operator()(std::uint64_t index) const;

 private:
  [[nodiscard]] std::uint64_t Encrypt(std::uint64_t value) const;

  static constexpr int kRounds = 6;
  std::uint64_t count_;
  std::vector<std::uint16_t> listed_ = {};  // Empty if there are more indices.
  int half_bits_ = 0;
  std::uint64_t half_mask_ = 0;
  std::array<std::uint64_t, kRounds> keys_ = {};
};

}  // namespace gcsflux::internal
