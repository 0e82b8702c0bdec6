#include "base/mix.h"
#include "virtual/digits.h"
#include "virtual/name_patterns.h"

namespace gcsflux::emulator {
namespace {

// Numbers below 2^64 that increase and look like sorted hashes: one at random in each of `count` equal shares.
class SpreadNumbers {
 public:
  SpreadNumbers(std::uint64_t count, std::uint64_t seed)
      : seed_(seed), share_(count <= 1 ? UINT64_MAX : UINT64_MAX / count) {}

  [[nodiscard]] std::uint64_t At(std::uint64_t index) const {
    return index * share_ + MultiplyHigh(Mix(seed_, index), share_);
  }

 private:
  const std::uint64_t seed_;
  const std::uint64_t share_;
};

class Hex final : public NameSet {
 public:
  Hex(std::uint64_t count, std::uint64_t seed) : NameSet(count), low_seed_(~seed), high_(count, seed) {}

  [[nodiscard]] std::string Name(std::uint64_t index) const override {
    std::string name;
    name.reserve(32);
    AppendHex(name, high_.At(index));
    AppendHex(name, Mix(low_seed_, index));
    return name;
  }

 private:
  const std::uint64_t low_seed_;
  const SpreadNumbers high_;
};

class DirectoryPerFile final : public NameSet {
 public:
  DirectoryPerFile(std::uint64_t count, std::uint64_t seed) : NameSet(count), directories_(count, seed) {}

  [[nodiscard]] std::string Name(std::uint64_t index) const override {
    std::string name;
    name.reserve(32);
    AppendHex(name, directories_.At(index));
    name += "/data.bin";
    return name;
  }

 private:
  const SpreadNumbers directories_;
};

}  // namespace

std::unique_ptr<const NameSet> HexNames(std::uint64_t count, std::uint64_t seed) {
  return std::make_unique<Hex>(count, seed);
}

std::unique_ptr<const NameSet> DirectoryPerFileNames(std::uint64_t count, std::uint64_t seed) {
  return std::make_unique<DirectoryPerFile>(count, seed);
}

}  // namespace gcsflux::emulator
