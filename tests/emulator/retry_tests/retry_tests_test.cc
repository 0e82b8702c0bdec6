// The queues of retry tests and the language of their instructions. retry_test_http_test.cc tests them over HTTP.

#include "retry_tests/retry_tests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace gcsflux::emulator {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Kind = RetryInstruction::Kind;

TEST(RetryInstruction, ReadsEveryForm) {
  struct Case {
    std::string text;
    RetryInstruction want;
  };
  const std::vector<Case> cases = {
      {"return-503", {.kind = Kind::kReturnStatus, .status = 503}},
      {"return-reset-connection", {.kind = Kind::kResetConnection}},
      {"return-broken-stream", {.kind = Kind::kBrokenStream}},
      {"return-broken-stream-after-256K", {.kind = Kind::kBrokenStreamAfter, .bytes = 262'144}},
      {"return-408-after-8192K", {.kind = Kind::kStatusAfter, .status = 408, .bytes = 8'388'608}},
      {"return-broken-stream-final-chunk-after-1024B", {.kind = Kind::kBrokenFinalChunk, .bytes = 1024}},
      {"return-broken-stream-final-chunk-after-0B", {.kind = Kind::kBrokenFinalChunk}},
      {"stall-for-10s-after-0K", {.kind = Kind::kStallAfter, .stall = std::chrono::seconds(10)}},
      {"return-unreachable-buckets-a,projects/_/buckets/b",
       {.kind = Kind::kUnreachableBuckets, .buckets = "a,projects/_/buckets/b"}},
  };
  for (const Case& test : cases) {
    const auto read = ParseRetryInstruction(test.text);
    ASSERT_TRUE(read) << test.text;
    EXPECT_EQ(read->kind, test.want.kind) << test.text;
    EXPECT_EQ(read->status, test.want.status) << test.text;
    EXPECT_EQ(read->bytes, test.want.bytes) << test.text;
    EXPECT_EQ(read->stall, test.want.stall) << test.text;
    EXPECT_EQ(read->buckets, test.want.buckets) << test.text;
  }
}

TEST(RetryInstruction, RefusesMalformedText) {
  for (const char* text : {"",
                           "return",
                           "return-",
                           "return-99",
                           "return-600",
                           "return-abc",
                           "return-503x",
                           "return-unreachable-buckets-",
                           "return-503-after",
                           "return-503-after-K",
                           "return-503-after-256",
                           "return-503-after-256K ",
                           "return-503-after--1K",
                           "return-503-after-99999999999999999999K",
                           "return-503-after-1099511627776K",
                           "return-broken-streams",
                           "return-broken-stream-after-256B",
                           "return-broken-stream-final-chunk-after-1K",
                           "return-reset-connections",
                           "stall-for-s-after-1K",
                           "stall-for-10-after-1K",
                           "stall-for-10s",
                           "stall-for-86401s-after-1K",
                           "Return-503"}) {
    EXPECT_FALSE(ParseRetryInstruction(text)) << text;
  }
}

constexpr auto kGet = "storage.objects.get";
constexpr auto kList = "storage.objects.list";

TEST(RetryTests, ApplyInstructionsInOrder) {
  RetryTests tests(1);
  EXPECT_FALSE(tests.has_any());
  const std::string id = tests.Make({{kGet, {"return-503", "return-reset-connection"}}, {kList, {"return-429"}}}).id;
  EXPECT_TRUE(tests.has_any());
  EXPECT_THAT(id, ::testing::MatchesRegex("[0-9a-f]{32}"));

  const auto first = tests.Peek(id, kGet);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->instruction.status, 503);
  EXPECT_EQ(tests.Peek(id, kGet)->number, first->number) << "Peek() removes nothing";
  EXPECT_TRUE(tests.Take(id, kGet, *first));
  EXPECT_FALSE(tests.Take(id, kGet, *first)) << "it is removed";

  const auto second = tests.Peek(id, kGet);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->instruction.kind, Kind::kResetConnection);
  EXPECT_TRUE(tests.Take(id, kGet, *second));
  EXPECT_FALSE(tests.Peek(id, kGet));
  EXPECT_FALSE(tests.Find(id)->is_completed) << "there is one for lists";
  EXPECT_THAT(tests.Find(id)->instructions.at(kList), ElementsAre("return-429"));
  EXPECT_TRUE(tests.Take(id, kList, *tests.Peek(id, kList)));
  EXPECT_TRUE(tests.Find(id)->is_completed);
  EXPECT_THAT(tests.Find(id)->instructions.at(kGet), IsEmpty());
}

TEST(RetryTests, AreIndependent) {
  RetryTests tests(1);
  const std::string one = tests.Make({{kGet, {"return-503"}}}).id;
  const std::string other = tests.Make({{kGet, {"return-504"}}}).id;
  EXPECT_NE(one, other);
  EXPECT_TRUE(tests.Take(one, kGet, *tests.Peek(one, kGet)));
  EXPECT_EQ(tests.Peek(other, kGet)->instruction.status, 504);
  EXPECT_EQ(tests.List().size(), 2U);
  EXPECT_TRUE(tests.Delete(one));
  EXPECT_FALSE(tests.Delete(one));
  EXPECT_FALSE(tests.Find(one));
  tests.Clear();
  EXPECT_FALSE(tests.has_any());
}

TEST(RetryTests, GiveAnInstructionToOnlyOneRequest) {
  RetryTests tests(1);
  const std::string id = tests.Make({{kGet, std::vector<std::string>(100, "return-503")}}).id;
  std::atomic<int> taken = 0;
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      while (const auto head = tests.Peek(id, kGet)) taken += tests.Take(id, kGet, *head) ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(taken, 100);
  EXPECT_TRUE(tests.Find(id)->is_completed);
}

TEST(RetryTests, NameTheWrongInstruction) {
  struct Case {
    RetryInstructions instructions;
    std::string want;
  };
  const std::vector<Case> cases = {{{}, "no instructions"},
                                   {{{"storage.objects.fly", {"return-503"}}}, "storage.objects.fly"},
                                   {{{kGet, {}}}, kGet},
                                   {{{kGet, {"return-503", "return-x"}}}, "return-x"}};
  RetryTests tests(1);
  for (const Case& test : cases) {
    try {
      tests.Make(test.instructions);
      FAIL() << "nothing was wrong with it: " << test.want;
    } catch (const std::invalid_argument& error) {
      EXPECT_THAT(error.what(), HasSubstr(test.want));
    }
  }
  EXPECT_FALSE(tests.has_any());
}

}  // namespace
}  // namespace gcsflux::emulator
