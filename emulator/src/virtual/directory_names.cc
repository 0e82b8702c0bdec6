#include <algorithm>
#include <chrono>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "base/mix.h"
#include "virtual/digits.h"
#include "virtual/log_normal.h"
#include "virtual/name_patterns.h"

namespace gcsflux::emulator {
namespace {

constexpr std::size_t kDirectories = 1000;

// Files, numbered from 0, in directories of given shares of the whole.
class Directories final : public NameSet {
 public:
  // `names` are in strictly increasing order, none the prefix of another. Each has its share in `weights`.
  Directories(std::uint64_t count, std::vector<std::string> names, const std::vector<double>& weights)
      : NameSet(count), names_(std::move(names)) {
    const double whole = std::accumulate(weights.begin(), weights.end(), 0.0);
    double before = 0;
    for (const double weight : weights) {
      begins_.push_back(static_cast<std::uint64_t>(static_cast<double>(count) * (before / whole)));
      before += weight;
    }
  }

  [[nodiscard]] std::string Name(std::uint64_t index) const override {
    // The last directory that begins at or before `index`. Those before it that begin there too are empty.
    const auto behind = std::upper_bound(begins_.begin(), begins_.end(), index);
    const auto directory = static_cast<std::size_t>(behind - begins_.begin()) - 1;
    std::string name = names_[directory];
    AppendPadded(name, index - begins_[directory], 12);
    name += ".jpg";
    return name;
  }

 private:
  const std::vector<std::string> names_;
  std::vector<std::uint64_t> begins_;  // the index of each directory's first file
};

// Files in many directories of one to nine. One directory in the middle holds nine tenths of all files.
class HugeDirectory final : public NameSet {
 public:
  explicit HugeDirectory(std::uint64_t count)
      : NameSet(count), huge_begin_(count / 20 / kCycleFiles * kCycleFiles), huge_size_(count - count / 10) {}

  [[nodiscard]] std::string Name(std::uint64_t index) const override {
    const std::uint64_t middle = huge_begin_ / kCycleFiles * kCycle;
    if (index < huge_begin_) return TinyName(index, 0);
    if (index < huge_begin_ + huge_size_) return FileName(middle, index - huge_begin_);
    return TinyName(index - huge_size_, 1);
  }

 private:
  // Directories of 1, 2, ..., 9 files, repeatedly.
  static constexpr std::uint64_t kCycle = 9;
  static constexpr std::uint64_t kCycleFiles = kCycle * (kCycle + 1) / 2;

  static std::string TinyName(std::uint64_t index, std::uint64_t directories_between) {
    std::uint64_t file = index % kCycleFiles;
    std::uint64_t directory = 0;
    for (; file > directory; ++directory) file -= directory + 1;
    return FileName(index / kCycleFiles * kCycle + directory + directories_between, file);
  }
  static std::string FileName(std::uint64_t directory, std::uint64_t file) {
    std::string name = "batch-";
    AppendPadded(name, directory, 12);
    name += '/';
    AppendPadded(name, file, 12);
    name += ".bin";
    return name;
  }

  const std::uint64_t huge_begin_;
  const std::uint64_t huge_size_;
};

// "2022-01-01/" and the days after it.
std::string DateName(std::size_t day) {
  const std::chrono::sys_days first = std::chrono::year(2022) / 1 / 1;
  const std::chrono::year_month_day date(first + std::chrono::days(day));
  std::string name;
  AppendPadded(name, static_cast<std::uint64_t>(static_cast<int>(date.year())), 4);
  name += '-';
  AppendPadded(name, static_cast<unsigned>(date.month()), 2);
  name += '-';
  AppendPadded(name, static_cast<unsigned>(date.day()), 2);
  return name + "/";
}

// Like ImageNet's: "n" and a number of eight digits, increasing by uneven steps.
std::string ClassName(std::size_t directory, std::uint64_t seed) {
  constexpr std::uint64_t kStep = 14'000;
  std::string name = "n";
  AppendPadded(name, 1'440'000 + directory * kStep + Mix(seed, directory) % kStep, 8);
  return name + "/";
}

// One in twenty, at random, shares one half of the files; the others share the other half.
std::vector<double> ClassWeights(std::uint64_t seed) {
  constexpr std::size_t kLarge = kDirectories / 20;
  std::vector<std::size_t> shuffled(kDirectories);
  std::iota(shuffled.begin(), shuffled.end(), std::size_t{0});
  std::sort(shuffled.begin(), shuffled.end(),
            [&](std::size_t a, std::size_t b) { return Mix(~seed, a) < Mix(~seed, b); });
  std::vector<double> weights(kDirectories);
  for (std::size_t i = 0; i < kDirectories; ++i) {
    weights[shuffled[i]] = i < kLarge ? 0.5 / kLarge : 0.5 / (kDirectories - kLarge);
  }
  return weights;
}

}  // namespace

std::unique_ptr<const NameSet> DatedDirectoryNames(std::uint64_t count, std::uint64_t seed) {
  std::vector<std::string> names;
  std::vector<double> weights;
  for (std::size_t day = 0; day < kDirectories; ++day) {
    names.push_back(DateName(day));
    weights.push_back(LogNormal(Mix(seed, day), 1.0));
  }
  return std::make_unique<Directories>(count, std::move(names), weights);
}

std::unique_ptr<const NameSet> ClassDirectoryNames(std::uint64_t count, std::uint64_t seed) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kDirectories; ++i) names.push_back(ClassName(i, seed));
  return std::make_unique<Directories>(count, std::move(names), ClassWeights(seed));
}

std::unique_ptr<const NameSet> HugeDirectoryNames(std::uint64_t count) {
  return std::make_unique<HugeDirectory>(count);
}

}  // namespace gcsflux::emulator
