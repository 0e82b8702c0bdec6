// The names of virtual buckets: pure functions of their index in bytewise order.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "store/objects/names.h"
#include "virtual/name_set.h"

namespace gcsflux::emulator {
namespace {

constexpr std::uint64_t kMany = 20'000'000;

class NamePatterns : public ::testing::TestWithParam<char> {
 protected:
  static std::unique_ptr<const NameSet> Make(std::uint64_t count, std::uint64_t seed = 0) {
    return MakeNameSet(static_cast<NamePattern>(GetParam()), count, seed);
  }
};

INSTANTIATE_TEST_SUITE_P(Patterns, NamePatterns, ::testing::Values('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'),
                         [](const auto& instance) { return std::string(1, instance.param); });

std::vector<std::string> AllNames(const NameSet& names) {
  std::vector<std::string> all;
  for (std::uint64_t i = 0; i < names.count(); ++i) all.push_back(names.Name(i));
  return all;
}

// `name` with one more byte: the text that directly follows it.
std::string Successor(const std::string& name) { return name + '\0'; }

TEST_P(NamePatterns, AreValidAndStrictlySorted) {
  for (const std::uint64_t count : {1, 2, 9, 10, 11, 45, 46, 99, 100, 101, 999, 1000, 1001, 4321, 50'000}) {
    const std::vector<std::string> all = AllNames(*Make(count, count));
    ASSERT_EQ(all.size(), count);
    for (const std::string& name : all) ASSERT_TRUE(CheckObjectName(name)) << name;
    EXPECT_EQ(std::adjacent_find(all.begin(), all.end(), std::greater_equal<>()), all.end()) << count << " names";
  }
}

TEST_P(NamePatterns, MayBeNone) {
  const auto names = Make(0);
  EXPECT_EQ(names->count(), 0U);
  EXPECT_EQ(names->LowerBound(""), 0U);
  EXPECT_EQ(names->LowerBound("\xFF"), 0U);
}

TEST_P(NamePatterns, AreFoundAgain) {
  const auto names = Make(3000, 7);
  for (std::uint64_t i = 0; i < names->count(); ++i) {
    const std::string name = names->Name(i);
    ASSERT_EQ(names->LowerBound(name), i) << name;
    ASSERT_EQ(names->LowerBound(Successor(name)), i + 1) << name;
    ASSERT_EQ(names->LowerBound(name, i / 2), i) << name;
    ASSERT_EQ(names->LowerBound(name, i), i) << name;
  }
}

TEST_P(NamePatterns, FindTheLowerBoundOfAnyText) {
  std::mt19937 random(3);
  const auto names = Make(2000, 5);
  const std::vector<std::string> all = AllNames(*names);
  for (int round = 0; round < 5000; ++round) {
    std::string text = all[random() % all.size()].substr(0, random() % 40);
    if (random() % 2 == 0 && !text.empty()) text.back() = static_cast<char>(random());
    const auto want = std::lower_bound(all.begin(), all.end(), text) - all.begin();
    ASSERT_EQ(names->LowerBound(text), static_cast<std::uint64_t>(want)) << text;
  }
}

TEST_P(NamePatterns, AreSortedAndFoundAmongMillions) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  const auto names = Make(kMany, seed);
  for (int round = 0; round < 5000; ++round) {
    const std::uint64_t i = random() % (kMany - 1);
    const std::string name = names->Name(i);
    ASSERT_TRUE(CheckObjectName(name)) << name;
    ASSERT_LT(name, names->Name(i + 1));
    ASSERT_EQ(names->LowerBound(name), i) << name;
    ASSERT_EQ(names->LowerBound(Successor(name), random() % (i + 1)), i + 1) << name;
  }
  EXPECT_EQ(names->LowerBound("\xFF"), kMany);
}

TEST_P(NamePatterns, ReachTheirLimit) {
  const auto names = Make(kMaxVirtualObjects);
  const std::string last = names->Name(kMaxVirtualObjects - 1);
  EXPECT_LT(names->Name(kMaxVirtualObjects - 2), last);
  EXPECT_TRUE(CheckObjectName(last)) << last;
  EXPECT_EQ(names->LowerBound(last), kMaxVirtualObjects - 1);
}

TEST_P(NamePatterns, DependOnlyOnTheirSeed) {
  EXPECT_EQ(AllNames(*Make(500, 1)), AllNames(*Make(500, 1)));
  const bool has_seed = std::string("acdfh").find(GetParam()) != std::string::npos;
  EXPECT_EQ(AllNames(*Make(500, 1)) != AllNames(*Make(500, 2)), has_seed);
}

TEST(UnpaddedCounterNames, AreTheSortedDecimalNumbers) {
  for (const std::uint64_t count : {1, 2, 10, 11, 12, 100, 101, 109, 110, 200, 999, 1000, 1001, 1234, 20'000}) {
    const auto names = MakeNameSet(NamePattern::kUnpaddedCounter, count, 0);
    std::vector<std::string> numbers;
    for (std::uint64_t i = 0; i < count; ++i) numbers.push_back(std::to_string(i));
    std::sort(numbers.begin(), numbers.end());
    const std::size_t prefix_size = names->Name(0).find("0.npy");
    for (std::uint64_t i = 0; i < count; ++i) {
      ASSERT_EQ(names->Name(i).substr(prefix_size), numbers[i] + ".npy") << count;
    }
    EXPECT_GT(prefix_size, 60U);
  }
}

// How many names each directory has.
std::map<std::string, std::uint64_t> Directories(NamePattern pattern, std::uint64_t count) {
  std::map<std::string, std::uint64_t> sizes;
  for (const std::string& name : AllNames(*MakeNameSet(pattern, count, 9))) ++sizes[name.substr(0, name.find('/'))];
  return sizes;
}

std::vector<std::uint64_t> LargestFirst(const std::map<std::string, std::uint64_t>& directories) {
  std::vector<std::uint64_t> sizes;
  sizes.reserve(directories.size());
  for (const auto& [name, size] : directories) sizes.push_back(size);
  std::sort(sizes.rbegin(), sizes.rend());
  return sizes;
}

TEST(DatedDirectoryNames, HaveUnevenSizes) {
  const auto directories = Directories(NamePattern::kDatedDirectories, 100'000);
  ASSERT_EQ(directories.size(), 1000U);
  EXPECT_EQ(directories.begin()->first, "2022-01-01");
  EXPECT_EQ(directories.rbegin()->first, "2024-09-26");
  const auto sizes = LargestFirst(directories);
  EXPECT_GT(sizes.front(), 20 * sizes.back());
}

TEST(ClassDirectoryNames, HoldHalfTheObjectsInOneClass) {
  const auto sizes = LargestFirst(Directories(NamePattern::kClassDirectories, 200'000));
  ASSERT_EQ(sizes.size(), 1000U);
  std::uint64_t largest = 0;
  for (std::size_t i = 0; i < 50; ++i) largest += sizes[i];
  EXPECT_NEAR(static_cast<double>(largest), 100'000, 100);
}

TEST(HugeDirectoryNames, AreOneHugeAndManyTinyOnes) {
  const auto directories = Directories(NamePattern::kHugeDirectory, 100'000);
  const auto sizes = LargestFirst(directories);
  EXPECT_EQ(sizes[0], 90'000U);
  EXPECT_EQ(sizes[1], 9U);
  EXPECT_EQ(sizes.back(), 1U);
  EXPECT_NEAR(static_cast<double>(sizes.size()), 2000, 20);
  EXPECT_NE(directories.begin()->second, 90'000U) << "it is in their middle";
  EXPECT_NE(directories.rbegin()->second, 90'000U) << "it is in their middle";
}

TEST(Utf8Names, HaveCharactersOfEveryLength) {
  std::map<char, int> first_bytes;
  std::map<std::size_t, int> sizes;
  for (const std::string& name : AllNames(*MakeNameSet(NamePattern::kUtf8, 10'000, 0))) {
    for (const char c : name) ++first_bytes[static_cast<char>(static_cast<unsigned char>(c) & 0xF0)];
    ++sizes[name.size()];
  }
  for (const int byte : {0x20, 0xC0, 0xE0, 0xF0}) EXPECT_GT(first_bytes[static_cast<char>(byte)], 1000) << byte;
  EXPECT_GT(sizes.size(), 30U);
}

}  // namespace
}  // namespace gcsflux::emulator
