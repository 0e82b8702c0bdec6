// Requests that are repeated with their idempotency token: they get the first answer, and are not carried out again.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bodies/fingerprinted_body.h"
#include "emulator/support/raw_connection.h"
#include "emulator/support/text_body.h"
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

TEST_F(FirstAnswersTest, AreRepeatedUnchanged) {
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

TEST_F(FirstAnswersTest, AreRepeatedAfterALostAnswer) {
  emulator_.faults().Add({.name = "lost", .action = {.type = "loseAnswer"}, .limits = {.count = 1}});
  RawConnection other(emulator_.endpoint());
  other.Send("POST " + std::string(kInsert) + " HTTP/1.1\r\nHost: h\r\n" + kToken + "Content-Length: 5\r\n\r\nbytes");
  EXPECT_FALSE(other.Receive().has_value());
  EXPECT_EQ(emulator_.faults().Fired("lost"), 1U);
  EXPECT_EQ(client_.Call("POST", kInsert, kToken, "bytes").status, 200);
  EXPECT_EQ(Commits(), 1U);
}

TEST_F(FirstAnswersTest, AreForgottenAfterTheirWindow) {
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

TEST_F(FirstAnswersTest, AreForgottenAtAReset) {
  EXPECT_EQ(client_.Call("POST", kInsert, kToken, "bytes").status, 200);
  emulator_.Reset();
  EXPECT_EQ(client_.Call("POST", kInsert, kToken, "bytes").status, 404);
  MakeBucket();
  EXPECT_EQ(client_.Call("POST", kInsert, kToken, "bytes").status, 200);
  EXPECT_EQ(Commits(), 1U);
}

TEST_F(FirstAnswersTest, AreNotKeptWithoutAWindow) {
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

TEST_F(FirstAnswersTest, AreNotKeptForFaults) {
  for (const std::uint64_t status : {429U, 503U}) {
    emulator_.faults().Load(
        {.rules = {{.name = "it", .action = {.type = "status", .status = status}, .limits = {.count = 1}}}});
    EXPECT_EQ(client_.Call("POST", kInsert, kToken, "bytes").status, static_cast<int>(status));
    EXPECT_EQ(emulator_.faults().Fired("it"), 1U);
  }
  EXPECT_EQ(client_.Call("POST", kInsert, kToken, "bytes").status, 200);
  EXPECT_EQ(Commits(), 1U);
}

TEST_F(FirstAnswersTest, AreNotKeptForBrokenBodies) {
  emulator_.faults().Add(
      {.name = "it", .action = {.type = "failUpload", .status = 503, .after_bytes = 2}, .limits = {.count = 1}});
  RawConnection other(emulator_.endpoint());
  EXPECT_EQ(other.Call("POST", kInsert, kToken, "bytes").status, 503);
  EXPECT_EQ(client_.Call("POST", kInsert, kToken, "bytes").status, 200);
  EXPECT_EQ(Commits(), 1U);
}

TEST_F(FirstAnswersTest, AreSharedByConcurrentRequests) {
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

class FirstAnswersKeyTest : public FirstAnswersTest {
 protected:
  // A request with the token.
  struct Sent {
    std::string method = "POST";
    std::string target = kInsert;
    std::string headers = {};
    std::string body = "bytes";
    std::string host = "h";
  };
  RawResponse Send(const Sent& sent) {
    client_.Send(sent.method + " " + sent.target + " HTTP/1.1\r\nHost: " + sent.host + "\r\n" + kToken + sent.headers +
                 "Content-Length: " + std::to_string(sent.body.size()) + "\r\n\r\n" + sent.body);
    return client_.Receive().value_or(RawResponse());
  }
};

TEST_F(FirstAnswersKeyTest, DependsOnTheBucketOfTheHost) {
  for (const char* bucket : {"one", "two"}) {
    ASSERT_EQ(client_.Call("PUT", "/" + std::string(bucket)).status, 200);
    EXPECT_EQ(Send({.method = "PUT", .target = "/a", .host = std::string(bucket) + ".localhost"}).status, 200);
    EXPECT_EQ(client_.Call("GET", "/" + std::string(bucket) + "/a").status, 200) << bucket;
  }
  EXPECT_EQ(Replays(), 0U);
}

TEST_F(FirstAnswersKeyTest, DependsOnHeadersThatChangeTheOperation) {
  for (const char* name : {"a", "b"}) {
    ASSERT_EQ(client_.Call("PUT", "/bucket/" + std::string(name), "", name).status, 200);
    const std::string source = "x-goog-copy-source: bucket/" + std::string(name) + "\r\n";
    EXPECT_EQ(Send({.method = "PUT", .target = "/bucket/copy", .headers = source, .body = ""}).status, 200);
    EXPECT_EQ(client_.Call("GET", "/bucket/copy").body, name);
  }
  EXPECT_EQ(Send({.method = "PUT", .target = "/bucket/new", .headers = "x-goog-if-generation-match: 0\r\n"}).status,
            200);
  EXPECT_EQ(Send({.method = "PUT", .target = "/bucket/new", .headers = "x-goog-if-generation-match: 1\r\n"}).status,
            412);
  EXPECT_EQ(Send({.method = "PUT", .target = "/bucket/new", .headers = "x-goog-meta-k: v\r\n"}).status, 200);
  EXPECT_EQ(Send({.method = "PUT", .target = "/bucket/new", .headers = "Content-Type: text/css\r\n"}).status, 200);
  EXPECT_EQ(client_.Call("GET", "/bucket/new").Header("content-type"), "text/css");
  EXPECT_EQ(Replays(), 0U);
}

TEST_F(FirstAnswersKeyTest, IgnoresHeadersOfTheAttempt) {
  EXPECT_EQ(
      Send({.headers = "x-goog-api-client: gccl-attempt-count/1\r\nx-goog-meta-a: b\r\nx-goog-date: 1\r\n"}).status,
      200);
  EXPECT_EQ(
      Send({.headers = "X-Goog-Meta-A: b\r\nX-Goog-Api-Client: gccl-attempt-count/2\r\nx-amz-date: 2\r\n"}).status,
      200);
  EXPECT_EQ(Replays(), 1U);
}

TEST_F(FirstAnswersKeyTest, RefusesAnotherBody) {
  EXPECT_EQ(Send({.body = "bytes"}).status, 200);
  EXPECT_EQ(Send({.body = "other"}).status, 400);
  EXPECT_EQ(Send({.body = "bytesbytes"}).status, 400);
  EXPECT_EQ(client_.Call("GET", "/bucket/a").body, "bytes");
  const std::string compose = "/storage/v1/b/bucket/o/joined/compose";
  EXPECT_EQ(Send({.target = compose, .body = R"({"sourceObjects":[{"name":"a"}]})"}).status, 200);
  EXPECT_EQ(Send({.target = compose, .body = R"({"sourceObjects":[{"name":"a"},{"name":"a"}]})"}).status, 400);
  EXPECT_EQ(client_.Call("GET", "/bucket/joined").body, "bytes");
  EXPECT_EQ(Send({.body = "bytes"}).status, 200);
  EXPECT_EQ(Replays(), 1U);
}

TEST_F(FirstAnswersKeyTest, IgnoresTheMultipartBoundary) {
  const auto insert = [&](const std::string& boundary, const std::string& name) {
    const std::string line = "--" + boundary + "\r\n";
    return Send({.target = "/upload/storage/v1/b/bucket/o?uploadType=multipart",
                 .headers = "Content-Type: multipart/related; boundary=" + boundary + "\r\n",
                 .body = line + "Content-Type: application/json\r\n\r\n{\"name\":\"" + name + "\"}\r\n" + line +
                         "Content-Type: text/plain\r\n\r\nbytes\r\n--" + boundary + "--\r\n"})
        .status;
  };
  EXPECT_EQ(insert("one", "a"), 200);
  EXPECT_EQ(insert("another", "a"), 200);
  EXPECT_EQ(Commits(), 1U);
  EXPECT_EQ(Replays(), 1U);
  EXPECT_EQ(insert("one", "b"), 400);
  EXPECT_EQ(client_.Call("GET", "/bucket/b").status, 404);
}

TEST_F(FirstAnswersKeyTest, IgnoresChangesByAFault) {
  emulator_.faults().Add({.name = "flip", .action = {.type = "corruptUpload"}, .limits = {.count = 1}});
  EXPECT_EQ(Send({}).status, 200);
  EXPECT_EQ(emulator_.faults().Fired("flip"), 1U);
  EXPECT_EQ(Send({}).status, 200);
  EXPECT_EQ(Replays(), 1U);
}

// Reads `text` in pieces of `step` bytes.
BodyFingerprint FingerprintOf(const std::string& text, std::size_t step) {
  HttpRequest request;
  request.headers.Add("x-goog-gcs-idempotency-token", "t");
  request.headers.Add("Content-Type", "multipart/related; boundary=xyxz");
  TextBody inner(text, false);
  FingerprintedBody body(inner, request);
  std::vector<std::byte> room(step);
  while (body.Read(room).value_or(0) != 0) continue;
  return body.fingerprint();
}

TEST(FingerprintedBody, DoesNotDependOnSegmentation) {
  const std::string text = "--xyxz\nxyxxyxyxzone\nxyx\n--xyxz--xy";
  const BodyFingerprint want = FingerprintOf(text, 3);
  EXPECT_EQ(want.size, text.size() - 3 * std::string("xyxz").size());
  for (const std::size_t step : {1, 2}) EXPECT_EQ(FingerprintOf(text, step), want) << step;
  EXPECT_NE(FingerprintOf("--xyxz\nxyxxyxyxztwo\nxyx\n--xyxz--xy", 3), want);
}

TEST(AnswerMemory, KeepsTheLastTenThousandAnswers) {
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

TEST(AnswerMemory, GrantsAKeyToOneRequestAtATime) {
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

TEST(AnswerMemory, WakesAWaitingRequest) {
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

TEST(ParseIdempotencyWindow, AcceptsUpToADayInSeconds) {
  EXPECT_EQ(ParseIdempotencyWindow(R"({"window_s": 1.5})"), milliseconds(1500));
  EXPECT_EQ(RenderIdempotencyWindow(milliseconds(1500)), R"({"window_s":1.5})");
  for (const char* text : {"", "{}", "[]", R"({"window_s": -1})", R"({"window_s": 86401})", R"({"window_s": "x"})",
                           R"({"window_s": 1, "other": 2})"}) {
    EXPECT_THROW(static_cast<void>(ParseIdempotencyWindow(text)), std::invalid_argument) << text;
  }
}

TEST(AnswerMemory, ForgetsTheOldestAnswersBeyond64MiB) {
  const Clock clock;
  AnswerMemory memory(clock, minutes(1));
  for (int i = 0; i < 65; ++i) {
    const auto answer = std::make_shared<const KeptAnswer>(KeptAnswer{.body = std::string(1 << 20, 'a')});
    memory.Keep(std::to_string(i), answer);
  }
  EXPECT_EQ(memory.Find("0"), nullptr);
  EXPECT_EQ(memory.Find("1"), nullptr);  // the keys count too
  EXPECT_NE(memory.Find("2"), nullptr);
  EXPECT_NE(memory.Find("64"), nullptr);
}

}  // namespace
}  // namespace gcsflux::emulator
