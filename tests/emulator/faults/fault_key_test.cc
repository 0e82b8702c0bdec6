#include "faults/engine/fault_key.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace gcsflux::emulator {
namespace {

FaultKey KeyOf(const std::string& object, std::uint64_t arrival) {
  return {.operation = "storage.objects.get", .bucket = "bucket", .object = object, .arrival = arrival};
}

TEST(FaultKey, HashDependsOnAllFieldsButTheArrival) {
  const FaultKey key = KeyOf("object", 1);
  std::set<std::uint64_t> hashes = {HashKey(key)};
  FaultKey other = key;
  other.arrival = 2;
  EXPECT_EQ(HashKey(other), HashKey(key));
  for (std::string FaultKey::*member : {&FaultKey::operation, &FaultKey::phase, &FaultKey::bucket, &FaultKey::object}) {
    other = key;
    other.*member += "x";
    EXPECT_TRUE(hashes.insert(HashKey(other)).second);
  }
  other = key;
  other.range_start = 0;
  EXPECT_TRUE(hashes.insert(HashKey(other)).second);
  other.range_start = 1;
  EXPECT_TRUE(hashes.insert(HashKey(other)).second);
}

TEST(FaultKey, DistinguishesReadsOfBytesAndMetadata) {
  const RequestSubject subject{.operation = "storage.objects.get", .bucket = "bucket", .object = "object"};
  EXPECT_EQ(KeyOf(RequestPreview{.subject = subject}).range_start, std::nullopt);
  EXPECT_EQ(KeyOf(RequestPreview{.subject = subject, .is_media_read = true}).range_start, 0U);
  EXPECT_EQ(KeyOf(RequestPreview{.subject = subject, .is_media_read = true, .range_start = 7}).range_start, 7U);
}

TEST(FaultKey, SeparatesItsFields) {
  EXPECT_NE(HashKey({.bucket = "ab", .object = "c"}), HashKey({.bucket = "a", .object = "bc"}));
}

TEST(Chance, DependsOnSeedRuleKeyAndArrival) {
  const double chance = Chance(1, "rule", KeyOf("object", 1));
  EXPECT_EQ(Chance(1, "rule", KeyOf("object", 1)), chance);
  EXPECT_NE(Chance(2, "rule", KeyOf("object", 1)), chance);
  EXPECT_NE(Chance(1, "another", KeyOf("object", 1)), chance);
  EXPECT_NE(Chance(1, "rule", KeyOf("another", 1)), chance);
  EXPECT_NE(Chance(1, "rule", KeyOf("object", 2)), chance);
}

// Computed by hand from the definitions of FNV-1a and SplitMix64.
TEST(Chance, IsTheSameOnEveryMachine) { EXPECT_EQ(Chance(7, "rule", KeyOf("object", 3)), 0x1.a2ff27c7b06f8p-4); }

TEST(Chance, IsEven) {
  constexpr int kRolls = 100'000;
  int below_tenth = 0;
  int below_half = 0;
  for (int i = 0; i < kRolls; ++i) {
    const double chance = Chance(1, "rule", KeyOf("object-" + std::to_string(i % 1000), 1 + i / 1000));
    ASSERT_GE(chance, 0);
    ASSERT_LT(chance, 1);
    below_tenth += chance < 0.1 ? 1 : 0;
    below_half += chance < 0.5 ? 1 : 0;
  }
  // Five standard deviations.
  EXPECT_NEAR(below_tenth, 0.1 * kRolls, 475);
  EXPECT_NEAR(below_half, 0.5 * kRolls, 791);
}

}  // namespace
}  // namespace gcsflux::emulator
