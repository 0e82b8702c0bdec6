#include "shards/shard_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/fails_with.h"

namespace gcsflux::testing {
namespace {

using internal::ExpandBraces;
using internal::ReadWidsList;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ShardNames, CountWithTheDigitsOfTheFirstNumber) {
  EXPECT_THAT(*ExpandBraces("a-{008..011}.tar"), ElementsAre("a-008.tar", "a-009.tar", "a-010.tar", "a-011.tar"));
  EXPECT_THAT(*ExpandBraces("{9..11}"), ElementsAre("9", "10", "11"));
  EXPECT_THAT(*ExpandBraces("{2..0}"), ElementsAre("2", "1", "0"));
  EXPECT_THAT(*ExpandBraces("plain.tar"), ElementsAre("plain.tar"));
}

TEST(ShardNames, MultiplyAndList) {
  EXPECT_THAT(*ExpandBraces("{a,b}/{0..1}.tar"), ElementsAre("a/0.tar", "a/1.tar", "b/0.tar", "b/1.tar"));
  EXPECT_THAT(*ExpandBraces("{,x-}1.tar"), ElementsAre("1.tar", "x-1.tar"));
}

TEST(ShardNames, RefuseSenselessBraces) {
  for (const char* pattern : {"{", "}", "a{b", "a}b", "{{0..1}}", "{a{0..1}}", "{}", "{1}", "{1..}", "{..2}", "{a..b}",
                              "{-1..2}", "{1..2..3}", "{99999999999999999999..1}"}) {
    EXPECT_TRUE(FailsWith(ExpandBraces(pattern), ErrorCode::kInvalidArgument, HasSubstr(pattern))) << pattern;
  }
}

TEST(ShardNames, RefuseMoreThanAMillion) {
  for (const char* pattern :
       {"{0..999999999}", "{0..1000000}", "{0..999}{0..999}{0..1}", "{0..18446744073709551615}"}) {
    EXPECT_TRUE(FailsWith(ExpandBraces(pattern), ErrorCode::kInvalidArgument, HasSubstr("more than 1000000")))
        << pattern;
  }
  EXPECT_EQ(ExpandBraces("{000..999}{000..999}")->size(), 1'000'000U);
}

TEST(WidsList, HasNamesBesideItAndInItsBucket) {
  const auto shards = ReadWidsList("bkt", "a/index.json", R"({"__kind__": "wids-shard-index-v1", "name": "x",
      "shardlist": [{"url": "0.tar", "nsamples": 3}, {"url": "./b/1.tar"}, {"url": "gs://bkt/c/2.tar"}]})");
  ASSERT_TRUE(shards.ok());
  std::vector<std::string> names;
  for (const auto& shard : *shards) names.push_back(shard.name);
  EXPECT_THAT(names, ElementsAre("a/0.tar", "a/b/1.tar", "c/2.tar"));
  EXPECT_EQ(shards->front().samples, 3U);
  EXPECT_EQ(shards->back().samples, std::nullopt);
}

TEST(WidsList, IsRefusedWithItsName) {
  struct Bad {
    const char* json;
    ErrorCode code;
  };
  for (const Bad& bad :
       {Bad{"", ErrorCode::kUndecodable}, Bad{"[]", ErrorCode::kUndecodable},
        Bad{R"({"__kind__": 7})", ErrorCode::kUndecodable},
        Bad{R"({"__kind__": "wids-shard-index-v1"})", ErrorCode::kUndecodable},
        Bad{R"({"__kind__": "wids-shard-index-v1", "shardlist": [7]})", ErrorCode::kUndecodable},
        Bad{R"({"__kind__": "wids-shard-index-v1", "shardlist": [{"url": 7}]})", ErrorCode::kUndecodable},
        Bad{R"({"__kind__": "wids-shard-index-v1", "shardlist": [{"url": "0.tar", "nsamples": -1}]})",
            ErrorCode::kUndecodable},
        Bad{R"({"__kind__": "wids-shard-index-v1", "shardlist": [{"url": "gs://other/0.tar"}]})",
            ErrorCode::kInvalidArgument},
        Bad{R"({"__kind__": "wids-shard-index-v1", "shardlist": [{"url": "https://x/0.tar"}]})",
            ErrorCode::kInvalidArgument}}) {
    EXPECT_TRUE(FailsWith(ReadWidsList("bkt", "a/index.json", bad.json), bad.code, HasSubstr("gs://bkt/a/index.json")))
        << bad.json;
  }
}

}  // namespace
}  // namespace gcsflux::testing
