// The journal and the counters, in process: their content and its time.

#include "journal/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "emulator/support/raw_connection.h"
#include "gcsflux/emulator/gtest.h"

namespace gcsflux::emulator {
namespace {

using ::testing::ElementsAre;
using ::testing::FieldsAre;

RequestRecord Arrival(std::string target) {
  return {.method = "GET", .target = std::move(target), .start = Clock::Time()};
}

std::vector<std::string> Targets(const std::vector<RequestRecord>& records) {
  std::vector<std::string> targets;
  targets.reserve(records.size());
  for (const RequestRecord& record : records) targets.push_back(std::to_string(record.number) + " " + record.target);
  return targets;
}

TEST(Journal, IsResetByManyThreadsWhileRequestsAreAdded) {
  Journal journal(3);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&journal, i] {
      for (int round = 0; round < 2'000; ++round) {
        i % 2 == 0 ? journal.Reset() : journal.Add(std::make_shared<JournalEntry>(Arrival("a")));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  journal.Reset();
  journal.Add(std::make_shared<JournalEntry>(Arrival("last")));
  EXPECT_THAT(Targets(journal.Read({}, {})), ElementsAre("1 last"));
}

TEST(Journal, KeepsTheLastEntries) {
  Journal journal(3);
  for (const char* target : {"a", "b", "c", "d", "e"}) journal.Add(std::make_shared<JournalEntry>(Arrival(target)));
  EXPECT_THAT(Targets(journal.Read({}, {})), ElementsAre("3 c", "4 d", "5 e"));
  EXPECT_THAT(Targets(journal.Read({.since = 4}, {})), ElementsAre("5 e"));
  EXPECT_THAT(Targets(journal.Read({.since = 5}, {})), ElementsAre());
  EXPECT_THAT(Targets(journal.Read({.since = 99}, {})), ElementsAre());
  journal.Reset();
  EXPECT_THAT(Targets(journal.Read({}, {})), ElementsAre());
  journal.Add(std::make_shared<JournalEntry>(Arrival("f")));
  EXPECT_THAT(Targets(journal.Read({}, {})), ElementsAre("1 f"));
}

TEST(Journal, ReadsTheFirstOrTheLastOnesOfARange) {
  Journal journal(4);
  for (const char* target : {"a", "b", "c", "d", "e"}) journal.Add(std::make_shared<JournalEntry>(Arrival(target)));
  EXPECT_THAT(Targets(journal.Read({.limit = 2}, {})), ElementsAre("4 d", "5 e"));
  EXPECT_THAT(Targets(journal.Read({.limit = 2, .is_first = true}, {})), ElementsAre("2 b", "3 c"));
  EXPECT_THAT(Targets(journal.Read({.since = 3, .limit = 1, .is_first = true}, {})), ElementsAre("4 d"));
  EXPECT_THAT(Targets(journal.Read({.limit = 0}, {})), ElementsAre());
}

TEST(Journal, KeepsNothingWithACapacityOfZero) {
  Journal journal(0);
  journal.Add(std::make_shared<JournalEntry>(Arrival("a")));
  EXPECT_TRUE(journal.Read({}, {}).empty());
}

TEST(Journal, NumbersRequestsUniquely) {
  Journal journal(4000);
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 1000; ++j) journal.Add(std::make_shared<JournalEntry>(Arrival("a")));
    });
  }
  for (int i = 0; i < 20; ++i) (void)journal.Read({}, {});
  for (std::thread& thread : threads) thread.join();
  const std::vector<RequestRecord> records = journal.Read({}, {});
  ASSERT_EQ(records.size(), 4000U);
  for (std::size_t i = 0; i < records.size(); ++i) EXPECT_EQ(records[i].number, i + 1);
}

TEST(JournalEntry, DurationGrowsUntilItsEnd) {
  JournalEntry entry(Arrival("a"));
  const Clock::Time start;
  EXPECT_EQ(entry.Read(start + std::chrono::seconds(3)).duration, std::chrono::seconds(3));
  EXPECT_FALSE(entry.Read(start).is_finished);
  EXPECT_EQ(entry.Finish(start + std::chrono::seconds(5)), std::chrono::seconds(5));
  EXPECT_EQ(entry.Read(start + std::chrono::seconds(9)).duration, std::chrono::seconds(5));
  EXPECT_TRUE(entry.Read(start).is_finished);
}

class TrafficTest : public EmulatorTest {
 protected:
  void SetUp() override {
    ASSERT_EQ(client_.Call("POST", "/storage/v1/b", "", R"({"name":"bucket"})").status, 200);
    emulator().Reset();
    ASSERT_EQ(client_.Call("POST", "/storage/v1/b", "", R"({"name":"bucket"})").status, 200);
  }

  RequestRecord Last() { return emulator().journal().back(); }

  RawConnection client_{endpoint()};
};

TEST_F(TrafficTest, JournalDescribesARequest) {
  emulator().clock().Freeze();
  const Clock::Time start = emulator().clock().Now();
  client_.Call("POST", "/upload/storage/v1/b/bucket/o?uploadType=media&name=a%2Fb",
               "x-goog-api-client: gl-cpp/1 gccl-invocation-id/1234-abcd gccl-attempt-count/2\r\n", "hello");
  const RequestRecord insert = Last();
  EXPECT_EQ(insert.number, 2U);
  EXPECT_EQ(insert.method, "POST");
  EXPECT_EQ(insert.target, "/upload/storage/v1/b/bucket/o?uploadType=media&name=a%2Fb");
  EXPECT_EQ(insert.operation, "storage.objects.insert");
  EXPECT_EQ(insert.bucket, "bucket");
  EXPECT_EQ(insert.object, "a/b");
  EXPECT_EQ(insert.invocation_id, "1234-abcd");
  EXPECT_EQ(insert.attempt, 2);
  EXPECT_EQ(insert.status, 200);
  EXPECT_EQ(insert.bytes_in, 5U);
  EXPECT_EQ(insert.start, start);
  EXPECT_EQ(insert.duration.count(), 0);

  const RawResponse got = client_.Call("GET", "/storage/v1/b/bucket/o/a%2Fb?alt=media", "Range: bytes=1-3\r\n");
  ASSERT_EQ(got.body, "ell");
  EXPECT_EQ(Last().operation, "storage.objects.get");
  EXPECT_EQ(Last().status, 206);
  EXPECT_EQ(Last().bytes_out, 3U);
  EXPECT_EQ(Last().invocation_id, "");
}

TEST_F(TrafficTest, JournalHasAnEntryBeforeTheClientHasTheAnswer) {
  const std::string content(3'000'000, 'x');
  client_.Call("POST", "/upload/storage/v1/b/bucket/o?uploadType=media&name=large", "", content);
  EXPECT_EQ(Last().bytes_in, content.size());
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(client_.Call("GET", "/storage/v1/b/bucket/o/large?alt=media").body.size(), content.size());
    ASSERT_EQ(Last().bytes_out, content.size());
    ASSERT_EQ(client_.Call("GET", "/storage/v1/b/bucket/o/none").status, 404);
    ASSERT_EQ(Last().status, 404);
  }
}

TEST_F(TrafficTest, JournalCountsUnreadBodies) {
  EXPECT_EQ(client_.Call("DELETE", "/storage/v1/b/bucket/o/none", "", "a body that says nothing").status, 404);
  EXPECT_EQ(Last().bytes_in, 24U);
  client_.Call("HEAD", "/storage/v1/b/bucket", "Connection: close\r\n");
  EXPECT_EQ(Last().bytes_out, 0U);
}

TEST_F(TrafficTest, JournalDescribesTheRequestsOfASession) {
  const std::string location =
      client_.Call("POST", "/upload/storage/v1/b/bucket/o?uploadType=resumable", "", R"({"name":"o"})")
          .Header("location");
  const std::string session = location.substr(location.find("/upload/"));
  const std::string unit(256 << 10, 'a');
  client_.Call("PUT", session, "Content-Range: bytes 0-262143/*\r\n", unit);
  client_.Call("PUT", session, "Content-Range: bytes */*\r\n");
  client_.Call("PUT", session, "Content-Range: bytes 262144-262144/262145\r\n", "b");
  client_.Call("DELETE", session);
  std::vector<std::string> seen;
  for (const RequestRecord& record : emulator().journal()) {
    if (record.object == "o") seen.push_back(record.phase + " " + std::to_string(record.status));
    EXPECT_EQ(record.target.find(session.substr(session.rfind('=') + 1)), std::string::npos) << record.target;
  }
  EXPECT_THAT(seen, ElementsAre("start 200", "chunk 308", "status 308", "final 200", "cancel 400"));
}

TEST_F(TrafficTest, JournalShowsARequestInFlight) {
  client_.Send(
      "POST /upload/storage/v1/b/bucket/o?uploadType=media&name=slow HTTP/1.1\r\nHost: h\r\nContent-Length: "
      "5\r\n\r\nhel");
  while (emulator().journal().size() < 2) std::this_thread::yield();
  EXPECT_EQ(Last().status, 0);
  EXPECT_FALSE(Last().is_finished);
  client_.Send("lo");
  ASSERT_EQ(client_.Receive()->status, 200);
  EXPECT_EQ(Last().status, 200);
  EXPECT_EQ(emulator().journal().size(), 2U);
}

TEST_F(TrafficTest, JournalKeepsUnknownRequests) {
  client_.Call("PATCH", "/storage/v1/b", "", "{}");
  EXPECT_EQ(Last().operation, "unknown");
  EXPECT_EQ(Last().status, 405);
}

TEST_F(TrafficTest, CountersSumByOperationAndStatus) {
  emulator().Reset();
  client_.Call("POST", "/storage/v1/b", "", R"({"name":"bucket"})");
  const RawResponse gone = client_.Call("GET", "/storage/v1/b/bucket/o/none");
  client_.Call("GET", "/storage/v1/b/bucket/o/none");
  client_.Call("GET", "/_emulator/health");
  const Counters counters = emulator().counters();
  EXPECT_EQ(counters.requests, 3U);
  EXPECT_EQ(counters.bytes_in, 17U);
  ASSERT_EQ(counters.operations.size(), 2U);
  EXPECT_EQ(counters.bytes_out, counters.operations[0].bytes_out + 2 * gone.body.size());
  EXPECT_THAT(counters.operations[0], FieldsAre("storage.buckets.insert", 200, 1U, 17U, ::testing::_));
  EXPECT_THAT(counters.operations[1], FieldsAre("storage.objects.get", 404, 2U, 0U, 2 * gone.body.size()));
}

TEST_F(TrafficTest, ResetClearsEverything) {
  client_.Call("POST", "/upload/storage/v1/b/bucket/o?uploadType=media&name=o", "", "hello");
  const std::string location =
      client_.Call("POST", "/upload/storage/v1/b/bucket/o?uploadType=resumable&name=p").Header("location");
  emulator().Reset();
  EXPECT_TRUE(emulator().journal().empty());
  EXPECT_EQ(emulator().counters().requests, 0U);
  EXPECT_EQ(client_.Call("GET", "/storage/v1/b/bucket").status, 404);
  EXPECT_EQ(client_.Call("PUT", location.substr(location.find("/upload/")), "", "x").status, 404);
  EXPECT_EQ(emulator().journal().front().number, 1U);
}

}  // namespace
}  // namespace gcsflux::emulator
