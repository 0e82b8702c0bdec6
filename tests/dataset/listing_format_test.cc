#include "dataset/listing_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "base/crc32c.h"
#include "support/fails_with.h"
#include "transfer/listing/name_sets.h"

namespace gcsflux::internal {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::system_clock;
using ::testing::HasSubstr;

system_clock::time_point At(std::int64_t micros) { return system_clock::time_point(microseconds(micros)); }

// As a bucket has them: generations are the microsecond in which an object was stored.
Listing SnapshotOf(const std::vector<std::string>& names) {
  Listing snapshot{.prefix = {"bkt", "train/"}, .time = system_clock::time_point(milliseconds(1'700'000'000'123))};
  std::uint64_t chance = 1;
  for (const std::string& name : names) {
    chance = chance * 6364136223846793005 + 1442695040888963407;
    const auto generation = static_cast<std::int64_t>(1'600'000'000'000'000 + (chance >> 20) % 10'000'000'000'000);
    snapshot.objects.push_back({.name = name,
                                .size = chance % 300'000,
                                .generation = generation,
                                .crc32c = static_cast<std::uint32_t>(chance >> 32),
                                .storage_class = InternedName("STANDARD"),
                                .updated = At(generation + 5'000)});
  }
  return snapshot;
}

void ExpectSame(const Listing& got, const Listing& want) {
  EXPECT_EQ(got.prefix, want.prefix);
  EXPECT_EQ(got.time, want.time);
  ASSERT_EQ(got.objects.size(), want.objects.size());
  for (std::size_t i = 0; i < want.objects.size(); ++i) {
    const ListedObject& a = got.objects[i];
    const ListedObject& b = want.objects[i];
    ASSERT_EQ(a.name, b.name);
    ASSERT_EQ(a.size, b.size) << a.name;
    ASSERT_EQ(a.generation, b.generation) << a.name;
    ASSERT_EQ(a.crc32c, b.crc32c) << a.name;
    ASSERT_EQ(a.storage_class, b.storage_class) << a.name;
    ASSERT_EQ(a.updated, b.updated) << a.name;
    ASSERT_EQ(a.kms_key_name, b.kms_key_name) << a.name;
  }
}

std::string Encoded(const Listing& snapshot) {
  auto text = EncodeListing(snapshot);
  EXPECT_TRUE(text.ok()) << text.error().message;
  return *std::move(text);
}

Result<Listing> Decoded(std::string_view text) { return DecodeListing(std::as_bytes(std::span(text))); }

void ExpectRoundTrip(const Listing& snapshot) {
  const auto decoded = Decoded(Encoded(snapshot));
  ASSERT_TRUE(decoded.ok()) << decoded.error().message;
  ExpectSame(*decoded, snapshot);
}

TEST(ListingFormat, RoundTripsNamesOfEveryShape) {
  for (const auto& sets : {listing::CommonNameSets(), listing::NastyNameSets()}) {
    for (const auto& set : sets) {
      SCOPED_TRACE(set.label);
      ExpectRoundTrip(SnapshotOf(set.make(2'000, 1)));
    }
  }
}

TEST(ListingFormat, RoundTripsEmptyAndExtremeListings) {
  ExpectRoundTrip({.prefix = {"b", ""}});
  Listing snapshot{.prefix = {"b", ""}, .time = system_clock::time_point(milliseconds(-1))};
  const auto most = std::numeric_limits<std::int64_t>::max();
  const auto least = std::numeric_limits<std::int64_t>::min();
  snapshot.objects = {{.name = "a", .size = ~0ULL, .generation = most, .storage_class = InternedName("NEARLINE")},
                      {.name = "b", .generation = least, .crc32c = 0, .storage_class = InternedName("STANDARD")},
                      {.name = "c", .generation = 0, .crc32c = ~0U, .updated = At(-5)}};
  ExpectRoundTrip(snapshot);
}

// The figure that saved_listing.h promises.
TEST(ListingFormat, RoundTripsTheEncryptionKeysOfObjects) {
  Listing snapshot = SnapshotOf({"a", "b", "c"});
  EXPECT_EQ(Encoded(snapshot)[16], 1) << "earlier versions of gcsflux read it";
  snapshot.objects[0].kms_key_name = InternedName("projects/p/first");
  snapshot.objects[1].kms_key_name = InternedName("projects/p/second");
  snapshot.objects[2].crc32c.reset();
  snapshot.objects[2].storage_class = InternedName("NEARLINE");
  const std::string text = Encoded(snapshot);
  EXPECT_EQ(text[16], 3);
  const auto decoded = Decoded(text);
  ASSERT_TRUE(decoded.ok()) << decoded.error().message;
  ExpectSame(*decoded, snapshot);
}

TEST(ListingFormat, NeedsAtMost56BytesForHashedNames) {
  const auto names = listing::HexNames(100'000, 1);
  ASSERT_EQ(names.front().size(), 32U) << "the figure is for names of 32 characters";
  EXPECT_LE(static_cast<double>(Encoded(SnapshotOf(names)).size()) / 100'000, 56);
}

TEST(ListingFormat, RefusesNamesThatDoNotAscend) {
  for (const std::vector<std::string>& names : {std::vector<std::string>{"b", "a"}, {"a", "a"}, {""}}) {
    EXPECT_TRUE(testing::FailsWith(EncodeListing(SnapshotOf(names)), ErrorCode::kInvalidArgument));
  }
}

TEST(ListingFormat, RefusesInvalidNames) {
  ExpectRoundTrip(SnapshotOf({std::string(1024, 'a')}));
  EXPECT_TRUE(testing::FailsWith(EncodeListing(SnapshotOf({std::string(1025, 'a')})), ErrorCode::kInvalidArgument,
                                 HasSubstr("1025")));
}

std::string Number(std::uint64_t value) {
  std::string text;
  for (; value >= 0x80; value >>= 7) text += static_cast<char>((value & 0x7F) | 0x80);
  return text + static_cast<char>(value);
}

struct Name {
  std::size_t shared = 0;  // With the name before it.
  std::string rest = {};
};

// A listing whose objects need as few bytes as possible.
std::string Dense(const std::vector<Name>& names) {
  std::string text = "gcsflux listing\n";
  for (const std::uint64_t field : {1, 0, 0, 0, 1, 0}) text += Number(field);  // The version to the one class, "".
  text += Number(names.size());
  for (const Name& name : names) {
    text += Number(name.shared) + Number(name.rest.size()) + name.rest + std::string(4, '\0');
  }
  const std::uint32_t seal = ExtendCrc32c(0, std::as_bytes(std::span(text)));
  for (int shift = 0; shift < 32; shift += 8) text += static_cast<char>(seal >> shift);
  return text;
}

TEST(ListingFormat, RefusesEndlesslyGrowingNames) {
  std::vector<Name> names;
  for (std::size_t i = 0; i < 1024; i += 8) names.push_back({.shared = i, .rest = "aaaaaaaa"});
  EXPECT_TRUE(Decoded(Dense(names)).ok()) << "names of up to 1,024 bytes";
  names.push_back({.shared = 1024, .rest = "a"});
  EXPECT_TRUE(testing::FailsWith(Decoded(Dense(names)), ErrorCode::kCorrupted));
}

TEST(ListingFormat, RefusesNamesThatExpandTooMuch) {
  std::vector<Name> names = {{.rest = std::string(1000, 'a')}};
  std::vector<std::string> whole = {names[0].rest};
  for (int i = 0; i < 5'000; ++i) {
    names.push_back({.shared = 1000, .rest = std::to_string(10'000 + i).substr(0, 5)});
    whole.push_back(names[0].rest + names.back().rest);
  }
  ExpectRoundTrip(SnapshotOf(whole));  // With generations and times as they are in a bucket.
  for (Name& name : names) name.rest.erase(0, name.rest.size() == 5 ? 1 : 0);
  const std::string text = Dense(names);
  ASSERT_GT(1000 * names.size(), 64 * text.size());
  EXPECT_TRUE(testing::FailsWith(Decoded(text), ErrorCode::kCorrupted));
}

TEST(ListingFormat, DetectsEveryTruncationAndFlippedBit) {
  const std::string text = Encoded(SnapshotOf({"train/a", "train/b", "train/c"}));
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_TRUE(testing::FailsWith(Decoded(std::string_view(text).substr(0, size)), ErrorCode::kCorrupted)) << size;
  }
  for (std::size_t bit = 0; bit < 8 * text.size(); ++bit) {
    std::string damaged = text;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    EXPECT_FALSE(Decoded(damaged).ok()) << "bit " << bit;
  }
}

// With a valid checksum: for any bytes, it ends, and allocates only memory that they fill.
TEST(ListingFormat, SurvivesNonsenseWithAValidChecksum) {
  const std::string text = Encoded(SnapshotOf({"train/a", "train/b", "train/c"}));
  std::uint64_t chance = 1;
  for (int trial = 0; trial < 20'000; ++trial) {
    std::string damaged = text.substr(0, text.size() - 4);
    for (int change = 0; change < 1 + trial % 4; ++change) {
      chance = chance * 6364136223846793005 + 1442695040888963407;
      damaged[17 + (chance >> 33) % (damaged.size() - 17)] = static_cast<char>(chance >> 24);
    }
    const std::uint32_t seal = ExtendCrc32c(0, std::as_bytes(std::span(damaged)));
    for (int shift = 0; shift < 32; shift += 8) damaged += static_cast<char>(seal >> shift);
    const auto decoded = Decoded(damaged);
    if (!decoded.ok()) continue;
    EXPECT_LE(decoded->objects.size(), damaged.size());
  }
}

TEST(ListingFormat, NamesANewerVersion) {
  std::string text = Encoded(SnapshotOf({"a"}));
  text[16] = 4;
  EXPECT_TRUE(testing::FailsWith(Decoded(text), ErrorCode::kInvalidArgument, HasSubstr("version 4")));
}

}  // namespace
}  // namespace gcsflux::internal
