// Requests that are repeated with their idempotency token: they get the first answer, and are not carried out again.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "emulator/support/raw_connection.h"
#include "gcsflux/emulator/emulator.h"
#include "gcsflux/emulator/journal_queries.h"
#include "service/answer_memory.h"
#include "service/idempotency_settings.h"

namespace gcsflux::emulator {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr auto kInsert = "/upload/storage/v1/b/bucket/o?uploadType=media&name=a";
constexpr auto kToken = "x-goog-gcs-idempotency-token: t\r\n";

class FirstAnswersTest : public ::testing::Test {
 protected:
  void SetUp() override { MakeBucket(); }
  void MakeBucket() { ASSERT_EQ(client_.Call("POST", "/storage/v1/b", "", R"({"name":"bucket"})").status, 200); }

  [[nodiscard]] std::size_t Commits() const { return FindCommits(emulator_.journal(), "bucket", "a").size(); }
  [[nodiscard]] std::size_t Replays() const {
    std::size_t count = 0;
    for (const auto& record : emulator_.journal()) count += record.is_replayed;
    return count;
  }

  Emulator emulator_;
  RawConnection client_{emulator_.endpoint()};
};

TEST_F(FirstAnswersTest, AreGivenAgainAsTheyWere) {
  const RawResponse first = client_.Call("POST", kInsert, kToken, "bytes");
  const RawResponse second = client_.Call("POST", kInsert, kToken, "bytes");
  EXPECT_EQ(first.status, 200);
  EXPECT_EQ(second.status, 200);
  EXPECT_EQ(second.body, first.body);
  EXPECT_EQ(second.Header("content-type"), first.Header("content-type"));
  EXPECT_EQ(Commits(), 1U);
  EXPECT_EQ(Replays(), 1U);
  const auto last = emulator_.journal().back();
  EXPECT_EQ(last.operation, "storage.objects.insert");
  EXPECT_EQ(last.object, "a");
  EXPECT_EQ(last.bytes_in, 5U);
}

TEST_F(FirstAnswersTest, AreGivenAfterALostAnswer) {
  emulator_.faults().Add({.name = "lost", .action = {.type = "loseAnswer"}, .limits = {.count = 1}});
  RawConnection other(emulator_.endpoint());
  other.Send("POST " + std::string(kInsert) + " HTTP/1.1\r\nHost: h\r\n" + kToken + "Content-Length: 5\r\n\r\nbytes");
  EXPECT_FALSE(other.Receive().has_value());
  EXPECT_EQ(emulator_.faults().Fired("lost"), 1U);
  EXPECT_EQ(client_.Call("POST", kInsert, kToken, "bytes").status, 200);
  EXPECT_EQ(Commits(), 1U);
}

TEST_F(FirstAnswersTest, AreForgottenByTheClock) {
  emulator_.clock().Freeze();
  const auto insert = [&] { return client_.Call("POST", kInsert, kToken, "bytes").status; };
  EXPECT_EQ(insert(), 200);
  emulator_.clock().Advance(minutes(5) - seconds(1));
  EXPECT_EQ(insert(), 200);
  EXPECT_EQ(Commits(), 1U);
  emulator_.clock().Advance(seconds(1));
  EXPECT_EQ(insert(), 200);
  EXPECT_EQ(Commits(), 2U);
  EXPECT_EQ(insert(), 200);
  EXPECT_EQ(Commits(), 2U);
}

TEST_F(FirstAnswersTest, AreForgottenByReset) {
  EXPECT_EQ(client_.Call("POST", kInsert, kToken, "bytes").status, 200);
  emulator_.Reset();
  EXPECT_EQ(client_.Call("POST", kInsert, kToken, "bytes").status, 404);
  MakeBucket();
  EXPECT_EQ(client_.Call("POST", kInsert, kToken, "bytes").status, 200);
  EXPECT_EQ(Commits(), 1U);
}

TEST_F(FirstAnswersTest, AreNotKeptWhereThatIsTurnedOff) {
  ASSERT_EQ(client_.Call("PUT", "/_emulator/idempotency", "", R"({"window_s": 0})").status, 200);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(client_.Call("POST", kInsert, kToken, "bytes").status, 200);
  EXPECT_EQ(Commits(), 2U);
  EXPECT_EQ(client_.Call("GET", "/_emulator/idempotency").body, R"({"window_s":0})");
  EXPECT_EQ(client_.Call("DELETE", "/_emulator/idempotency").status, 204);
  EXPECT_EQ(client_.Call("GET", "/_emulator/idempotency").body, R"({"window_s":300})");
  const Emulator off({.idempotency_window = seconds(0)});
  RawConnection client(off.endpoint());
  ASSERT_EQ(client.Call("POST", "/storage/v1/b", "", R"({"name":"bucket"})").status, 200);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(client.Call("POST", kInsert, kToken, "bytes").status, 200);
  EXPECT_EQ(FindCommits(off.journal(), "bucket", "a").size(), 2U);
}

TEST_F(FirstAnswersTest, OfFaultsAreNotKept) {
  for (const std::uint64_t status : {429U, 503U}) {
    emulator_.faults().Load(
        {.rules = {{.name = "it", .action = {.type = "status", .status = status}, .limits = {.count = 1}}}});
    EXPECT_EQ(client_.Call("POST", kInsert, kToken, "bytes").status, static_cast<int>(status));
    EXPECT_EQ(emulator_.faults().Fired("it"), 1U);
  }
  EXPECT_EQ(client_.Call("POST", kInsert, kToken, "bytes").status, 200);
  EXPECT_EQ(Commits(), 1U);
}

TEST_F(FirstAnswersTest, OfABodyThatBrokeAreNotKept) {
  emulator_.faults().Add(
      {.name = "it", .action = {.type = "failUpload", .status = 503, .after_bytes = 2}, .limits = {.count = 1}});
  RawConnection other(emulator_.endpoint());
  EXPECT_EQ(other.Call("POST", kInsert, kToken, "bytes").status, 503);
  EXPECT_EQ(client_.Call("POST", kInsert, kToken, "bytes").status, 200);
  EXPECT_EQ(Commits(), 1U);
}

TEST_F(FirstAnswersTest, AreOneForRequestsAtTheSameTime) {
  constexpr int kThreads = 8;
  constexpr int kRounds = 50;
  for (int round = 0; round < kRounds; ++round) {
    const std::string token = "x-goog-gcs-idempotency-token: round-" + std::to_string(round) + "\r\n";
    std::atomic<int> succeeded = 0;
    std::vector<std::jthread> threads;
    threads.reserve(kThreads);
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        RawConnection client(emulator_.endpoint());
        succeeded += client.Call("POST", kInsert, token, "bytes").status == 200;
      });
    }
    threads.clear();
    EXPECT_EQ(succeeded, kThreads);
  }
  EXPECT_EQ(Commits(), static_cast<std::size_t>(kRounds));
}

TEST(AnswerMemory, HoldsTheLastTenThousand) {
  Clock clock;
  AnswerMemory memory(clock, minutes(5));
  for (int i = 0; i <= 10'000; ++i) {
    ASSERT_TRUE(memory.Take(std::to_string(i), milliseconds(0)).is_granted);
    memory.Keep(std::to_string(i), std::make_shared<const KeptAnswer>());
  }
  EXPECT_EQ(memory.Find("0"), nullptr);
  EXPECT_NE(memory.Find("1"), nullptr);
  EXPECT_NE(memory.Find("10000"), nullptr);
}

TEST(AnswerMemory, GrantsAKeyToOneAtATime) {
  Clock clock;
  AnswerMemory memory(clock, minutes(5));
  ASSERT_TRUE(memory.Take("k", milliseconds(0)).is_granted);
  const auto busy = memory.Take("k", milliseconds(0));
  EXPECT_FALSE(busy.is_granted);
  EXPECT_EQ(busy.answer, nullptr);
  memory.GiveUp("k");
  ASSERT_TRUE(memory.Take("k", milliseconds(0)).is_granted);
  memory.Keep("k", std::make_shared<const KeptAnswer>());
  const auto known = memory.Take("k", milliseconds(0));
  EXPECT_FALSE(known.is_granted);
  EXPECT_NE(known.answer, nullptr);
}

TEST(AnswerMemory, LetsOneThatWaitsGoOn) {
  Clock clock;
  AnswerMemory memory(clock, minutes(5));
  ASSERT_TRUE(memory.Take("k", milliseconds(0)).is_granted);
  std::jthread waiter([&] { EXPECT_NE(memory.Take("k", minutes(10)).answer, nullptr); });
  memory.Keep("k", std::make_shared<const KeptAnswer>());
  waiter.join();
  ASSERT_TRUE(memory.Take("other", milliseconds(0)).is_granted);
  std::jthread stopped([&] { EXPECT_EQ(memory.Take("other", minutes(10)).answer, nullptr); });
  memory.Stop();
}

TEST(ParseIdempotencyWindow, TakesSecondsOfADay) {
  EXPECT_EQ(ParseIdempotencyWindow(R"({"window_s": 1.5})"), milliseconds(1500));
  EXPECT_EQ(RenderIdempotencyWindow(milliseconds(1500)), R"({"window_s":1.5})");
  for (const char* text : {"", "{}", "[]", R"({"window_s": -1})", R"({"window_s": 86401})", R"({"window_s": "x"})",
                           R"({"window_s": 1, "other": 2})"}) {
    EXPECT_THROW(static_cast<void>(ParseIdempotencyWindow(text)), std::invalid_argument) << text;
  }
}

}  // namespace
}  // namespace gcsflux::emulator
