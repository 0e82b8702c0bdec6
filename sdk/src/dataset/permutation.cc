#include "dataset/permutation.h"

#include <algorithm>
#include <bit>

#include "dataset/mix.h"

namespace gcsflux::internal {

Permutation::Permutation(std::uint64_t count, std::uint64_t seed, std::uint64_t epoch) : count_(count) {
  const auto bits = static_cast<int>(std::bit_width(count - 1));
  half_bits_ = std::max(1, (bits + 1) / 2);
  half_mask_ = (std::uint64_t{1} << half_bits_) - 1;
  // Otherwise seed 1 of epoch 2 would equal seed 2 of epoch 1.
  std::uint64_t state = Mix(seed) ^ Mix(epoch + 0x6A09E667F3BCC909);
  for (auto& key : keys_) key = state = Mix(state);
}

std::uint64_t Permutation::operator()(std::uint64_t index) const {
  if (count_ == 1) return 0;
  do {
    index = Encrypt(index);
  } while (index >= count_);
  return index;
}

std::uint64_t Permutation::Encrypt(std::uint64_t value) const {
  std::uint64_t left = value >> half_bits_;
  std::uint64_t right = value & half_mask_;
  for (const std::uint64_t key : keys_) {
    const std::uint64_t next = left ^ (Mix(right ^ key) & half_mask_);
    left = right;
    right = next;
  }
  return left << half_bits_ | right;
}

}  // namespace gcsflux::internal
