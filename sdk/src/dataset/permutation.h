#pragma once

#include <array>
#include <cstdint>

namespace gcsflux::internal {

/// A pseudo-random permutation of [0, count). Each index is computed alone, without a list of indices. The same key
/// gives the same permutation on every machine.
///
/// A Feistel network over the next power of four, repeated until the value is in range (at most four times on average).
/// It shuffles samples; it does not protect secrets. Thread-safe.
class Permutation {
 public:
  /// `count` is at least 1.
  Permutation(std::uint64_t count, std::uint64_t seed, std::uint64_t epoch);

  /// For an index below `count`.
  [[nodiscard]] std::uint64_t operator()(std::uint64_t index) const;

 private:
  [[nodiscard]] std::uint64_t Encrypt(std::uint64_t value) const;

  static constexpr int kRounds = 6;  // Fewer rounds leave patterns in small domains.
  std::uint64_t count_;
  int half_bits_ = 0;
  std::uint64_t half_mask_ = 0;
  std::array<std::uint64_t, kRounds> keys_ = {};
};

}  // namespace gcsflux::internal
