#include "shards/shard_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "base/crc32c.h"
#include "gcsflux/shards.h"
#include "shards/shard_indexer.h"
#include "shards/tar_archives.h"

namespace gcsflux::testing {
namespace {

using ::testing::HasSubstr;

Result<internal::ShardIndex> IndexOf(std::string_view tar, std::size_t portion = 1 << 20) {
  internal::ShardIndexer indexer("x.tar", 42, tar.size());
  for (std::size_t at = 0; at < tar.size(); at += portion) {
    if (auto fed = indexer.Feed(BytesOf(tar.substr(at, portion))); !fed) return fed.error();
  }
  return indexer.Finish();
}

std::vector<TarFile> Files() {
  return {{"__meta__/x", "m"},         {"cat/0.jpg", std::string(700, 'c')},
          {"cat/0.cls", "0"},          {"cat/1.seg.PNG", "mask"},
          {"__note__", "between"},     {"cat/1.jpg", std::string(512, 'd')},
          {"dog.0/2.tar.gz", "zipped"}};
}

TEST(ShardIndex, SaysWhereSamplesAre) {
  const std::string tar = TarOf(Files());
  for (const std::size_t portion : {1U, 300U, 512U, 5000U}) {
    const auto index = IndexOf(tar, portion);
    ASSERT_TRUE(index) << index.error().message;
    ASSERT_EQ(index->samples.size(), 3U);
    const std::vector<std::string> keys = {"cat/0", "cat/1", "dog.0/2"};
    for (std::size_t i = 0; i < 3; ++i) {
      const auto& sample = index->samples[i];
      EXPECT_EQ(index->KeyOf(sample), keys[i]);
      const auto bytes = BytesOf(tar).subspan(index->BeginOf(sample), index->SizeOf(sample));
      EXPECT_EQ(sample.crc32c, internal::ExtendCrc32c(0, bytes));
      const auto parsed = ShardSample::Parse("x.tar", bytes);
      ASSERT_TRUE(parsed) << parsed.error().message;
      EXPECT_EQ(parsed->key(), keys[i]);
    }
    for (const auto& member : index->members) {
      EXPECT_EQ(member.crc32c, internal::ExtendCrc32c(0, BytesOf(tar).subspan(member.data, member.size)));
    }
  }
}

TEST(ShardIndex, IsReadAsItWasWritten) {
  const auto index = IndexOf(TarOf(Files()));
  const auto again = internal::DecodeShardIndex("x.tar.index", BytesOf(internal::EncodeShardIndex(*index)));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->generation, 42);
  EXPECT_EQ(again->members.size(), index->members.size());
  EXPECT_EQ(internal::EncodeShardIndex(*again), internal::EncodeShardIndex(*index));
}

TEST(ShardIndex, IsRefusedWhenDamaged) {
  const std::string bytes = internal::EncodeShardIndex(*IndexOf(TarOf(Files())));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 0x40);
    EXPECT_FALSE(internal::DecodeShardIndex("x", BytesOf(changed))) << i;
    EXPECT_FALSE(internal::DecodeShardIndex("x", BytesOf(bytes).first(i))) << i;
  }
}

// The seal fits: what an index says is believed by no one who reads it.
TEST(ShardIndex, WithAnySenselessContentIsRefusedOrHarmless) {
  std::mt19937 random(3);
  const std::string tar = TarOf(Files());
  const std::string bytes = internal::EncodeShardIndex(*IndexOf(tar));
  for (int round = 0; round < 20'000; ++round) {
    std::string changed = bytes.substr(0, bytes.size() - 4);
    for (int i = 0; i < 2; ++i) changed[21 + random() % (changed.size() - 21)] = static_cast<char>(random());
    const std::uint32_t seal = internal::ExtendCrc32c(0, BytesOf(changed));
    for (int shift = 0; shift < 32; shift += 8) changed += static_cast<char>(seal >> shift);
    const auto index = internal::DecodeShardIndex("x", BytesOf(changed));
    if (!index) continue;
    for (const auto& sample : index->samples) {
      EXPECT_LE(index->BeginOf(sample) + index->SizeOf(sample), index->size);
      EXPECT_FALSE(index->KeyOf(sample).empty());
    }
  }
}

struct BadNames {
  const char* name;
  std::vector<TarFile> files;
  const char* message;
};

TEST(ShardIndexer, RefusesNamesThatAreNoSamples) {
  const BadNames kCases[] = {{"absolute", {{"/etc/a.txt", "x"}}, "absolute"},
                             {"climbing", {{"a/../b.txt", "x"}}, "'..'"},
                             {"not UTF-8", {{"a\xff.txt", "x"}}, "UTF-8"},
                             {"no extension", {{"a/b", "x"}}, "no extension"},
                             {"no extension behind the dot", {{"a/b.", "x"}}, "no extension"},
                             {"no key", {{"a/.txt", "x"}}, "begins with a dot"},
                             {"repeated", {{"a.txt", "x"}, {"a.TXT", "y"}}, "has a member of this name"},
                             {"apart", {{"a.txt", "x"}, {"b.txt", "x"}, {"a.cls", "x"}}, "other samples are between"},
                             {"empty", {}, "the shard has no sample"},
                             {"only notes", {{"__meta__", "x"}}, "the shard has no sample"}};
  for (const BadNames& bad : kCases) {
    const auto index = IndexOf(TarOf(bad.files));
    ASSERT_FALSE(index) << bad.name;
    EXPECT_EQ(index.error().code, ErrorCode::kUndecodable) << bad.name;
    EXPECT_THAT(index.error().message, HasSubstr(bad.message)) << bad.name;
    EXPECT_THAT(index.error().message, ::testing::StartsWith("x.tar: ")) << bad.name;
  }
}

TEST(ShardSample, HasItsMembersByExtension) {
  const std::string bytes = TarFileOf({"./cat/0.JPG", "pixels"}) + TarFileOf({"cat/0.cls", ""});
  const auto sample = ShardSample::Parse("x.tar", BytesOf(bytes));
  ASSERT_TRUE(sample) << sample.error().message;
  ASSERT_EQ(sample->members().size(), 2U);
  EXPECT_EQ(sample->Member("jpg")->size(), 6U);
  EXPECT_EQ(sample->Member("cls")->size(), 0U);
  EXPECT_THAT(sample->Member("png").error().message, HasSubstr("x.tar: sample 'cat/0' has no member 'png'"));
}

TEST(ShardSample, NeverHasAnotherOnesMember) {
  const std::string bytes = TarFileOf({"a.jpg", "1"}) + TarFileOf({"b.cls", "2"});
  EXPECT_EQ(ShardSample::Parse("x.tar", BytesOf(bytes)).error().code, ErrorCode::kUndecodable);
  const ListedObject listed{.name = "x.tar/other"};
  EXPECT_THAT(internal::SampleIn(listed, BytesOf(bytes).first(1024)).error().message,
              HasSubstr("here is the sample 'a'"));
  EXPECT_FALSE(ShardSample::Parse("x.tar", BytesOf(bytes).first(700)));
  EXPECT_FALSE(ShardSample::Parse("x.tar", {}));
}

}  // namespace
}  // namespace gcsflux::testing
