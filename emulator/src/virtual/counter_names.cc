#include <algorithm>

#include "virtual/digits.h"
#include "virtual/name_patterns.h"

namespace gcsflux::emulator {
namespace {

class PaddedSequence final : public NameSet {
 public:
  explicit PaddedSequence(std::uint64_t count) : NameSet(count) {}

  [[nodiscard]] std::string Name(std::uint64_t index) const override {
    std::string name = "sample-";
    AppendPadded(name, index, 12);
    name += ".bin";
    return name;
  }
};

// 0 to count - 1 without leading zeros, in the bytewise order of their decimal digits: 0, 1, 10, 100, 101, ..., 2, 20.
class DecimalOrder {
 public:
  explicit DecimalOrder(std::uint64_t count) : count_(count) {
    for (std::uint64_t rest = count == 0 ? 0 : count - 1; rest >= 10; rest /= 10) widest_ *= 10;
  }

  // Walks down the tree in which a number's children are those with one more digit.
  [[nodiscard]] std::uint64_t At(std::uint64_t index) const {
    if (index == 0) return 0;
    std::uint64_t left = index - 1;  // how many of the numbers from 1 on come before the wanted one
    std::uint64_t number = 1;
    std::uint64_t scale = widest_;
    while (true) {
      const std::uint64_t size = SizeOfTree(number, scale);
      if (left >= size) {
        left -= size;
        ++number;
        continue;
      }
      if (left == 0) return number;
      --left;  // the number itself comes before its children
      number *= 10;
      scale /= 10;
    }
  }

 private:
  // How many of the numbers start with `number`. `scale` has one digit for each digit that `number` lacks to widest_.
  [[nodiscard]] std::uint64_t SizeOfTree(std::uint64_t number, std::uint64_t scale) const {
    const std::uint64_t shorter = scale / 9;  // 1 + 10 + ... + scale / 10
    const std::uint64_t first = number * scale;
    return shorter + (first < count_ ? std::min(count_ - first, scale) : 0);
  }

  const std::uint64_t count_;
  std::uint64_t widest_ = 1;  // the power of ten with as many digits as the largest number
};

class UnpaddedCounter final : public NameSet {
 public:
  explicit UnpaddedCounter(std::uint64_t count) : NameSet(count), order_(count) {}

  // The dot sorts before all digits, so the names have the order of their digits.
  [[nodiscard]] std::string Name(std::uint64_t index) const override {
    std::string name = "experiments/vision-transformer/augmented/resolution-224/train/sample-";
    name += std::to_string(order_.At(index));
    name += ".npy";
    return name;
  }

 private:
  const DecimalOrder order_;
};

}  // namespace

std::unique_ptr<const NameSet> PaddedSequenceNames(std::uint64_t count) {
  return std::make_unique<PaddedSequence>(count);
}

std::unique_ptr<const NameSet> UnpaddedCounterNames(std::uint64_t count) {
  return std::make_unique<UnpaddedCounter>(count);
}

}  // namespace gcsflux::emulator
