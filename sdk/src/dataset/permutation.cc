#include "dataset/permutation.h"

#include <bit>
#include <numeric>
#include <utility>

#include "dataset/mix.h"

namespace gcsflux::internal {

namespace {

// A number below `bound`, each as likely as any other: numbers that would make some more likely are left out.
std::uint64_t NumberBelow(std::uint64_t bound, std::uint64_t& state) {
  const std::uint64_t surplus = (0 - bound) % bound;  // 2^64 modulo `bound`.
  while (true) {
    state = state + 0x9E3779B97F4A7C15;
    const std::uint64_t number = Mix(state);
    if (number >= surplus) return number % bound;
  }
}

std::vector<std::uint16_t> Shuffled(std::uint64_t count, std::uint64_t state) {
  std::vector<std::uint16_t> list(static_cast<std::size_t>(count));
  std::iota(list.begin(), list.end(), std::uint16_t{0});
  for (std::uint64_t left = count; left > 1; --left) {
    std::swap(list[static_cast<std::size_t>(left - 1)], list[static_cast<std::size_t>(NumberBelow(left, state))]);
  }
  return list;
}

}  // namespace

Permutation::Permutation(std::uint64_t count, std::uint64_t seed, std::uint64_t epoch) : count_(count) {
  // Otherwise seed 1 of epoch 2 would equal seed 2 of epoch 1.
  std::uint64_t state = Mix(seed) ^ Mix(epoch + 0x6A09E667F3BCC909);
  if (count <= kMostListed) {
    listed_ = Shuffled(count, state);
    return;
  }
  const auto bits = static_cast<int>(std::bit_width(count - 1));
  half_bits_ = (bits + 1) / 2;
  half_mask_ = (std::uint64_t{1} << half_bits_) - 1;
  for (auto& key : keys_) key = state = Mix(state);
}

std::uint64_t Permutation::operator()(std::uint64_t index) const {
  if (!listed_.empty()) return listed_[static_cast<std::size_t>(index)];
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
