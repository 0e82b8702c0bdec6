#include "gcsflux/emulator/journal_queries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "emulator/support/raw_connection.h"
#include "gcsflux/emulator/gtest.h"

namespace gcsflux::emulator {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

RequestRecord Read(std::uint64_t offset, std::uint64_t bytes_out, std::int64_t generation = 7) {
  return {.bucket = "b", .object = "o", .read_generation = generation, .offset = offset, .bytes_out = bytes_out};
}

std::vector<std::string> RepeatedIn(const std::vector<RequestRecord>& records) {
  std::vector<std::string> texts;
  for (const RepeatedRange& range : FindBytesServedTwice(records)) {
    texts.push_back(range.bucket + "/" + range.object + "#" + std::to_string(range.generation) + " " +
                    std::to_string(range.offset) + "+" + std::to_string(range.length));
  }
  return texts;
}

TEST(BytesServedTwice, AreTheBytesThatRangesShare) {
  struct Case {
    std::string name;
    std::vector<RequestRecord> records;
    std::vector<std::string> want;
  };
  const std::vector<Case> cases = {
      {"none", {}, {}},
      {"neighbours", {Read(0, 10), Read(10, 10)}, {}},
      {"the same", {Read(0, 10), Read(0, 10)}, {"b/o#7 0+10"}},
      {"overlapping", {Read(5, 10), Read(0, 10)}, {"b/o#7 5+5"}},
      {"one in another", {Read(0, 100), Read(20, 5), Read(40, 5)}, {"b/o#7 20+5", "b/o#7 40+5"}},
      {"three times", {Read(0, 10), Read(0, 10), Read(5, 10)}, {"b/o#7 0+10"}},
      {"other generations", {Read(0, 10, 1), Read(0, 10, 2)}, {}},
      {"nothing sent", {Read(0, 10), Read(0, 0)}, {}},
      {"no stored bytes", {Read(0, 10, 0), Read(0, 10, 0)}, {}},
  };
  for (const Case& test : cases) EXPECT_EQ(RepeatedIn(test.records), test.want) << test.name;
}

TEST(Arrivals, CountEachRequestOfAnAttempt) {
  const RequestRecord chunk = {.operation = "storage.objects.insert", .phase = "chunk", .invocation_id = "x"};
  RequestRecord next = chunk;
  next.offset = 100;
  RequestRecord retried = chunk;
  retried.attempt = 2;
  std::vector<std::size_t> counts;
  for (const Arrivals& arrivals : CountArrivals({chunk, next, chunk, retried, RequestRecord{}})) {
    counts.push_back(arrivals.count);
  }
  EXPECT_THAT(counts, ElementsAre(2, 1, 1));
}

TEST(MostInFlight, IsTheFirstTimeOfThePeak) {
  const auto at = [](int second) { return Clock::Time() + std::chrono::seconds(second); };
  const Peak peak = FindMostInFlight(
      {{.start = at(1), .in_flight = 1}, {.start = at(2), .in_flight = 3}, {.start = at(3), .in_flight = 3}});
  EXPECT_EQ(peak.requests, 3U);
  EXPECT_EQ(peak.at, at(2));
  EXPECT_EQ(FindMostInFlight({}).requests, 0U);
}

TEST(HasForgotten, ComparesWithTheFirstRequestOfAll) {
  EXPECT_FALSE(HasForgotten({}));
  EXPECT_FALSE(HasForgotten({{.number = 1}}));
  EXPECT_TRUE(HasForgotten({{.number = 2}}));
}

class JournalQueriesTest : public EmulatorTest {
 protected:
  RawResponse Send(const std::string& method, const std::string& target, const std::string& body = {},
                   const std::string& headers = {}) {
    return connection_.Call(method, target, headers, body);
  }
  void SetUp() override { ASSERT_EQ(Send("POST", "/storage/v1/b?project=p", R"({"name":"bucket"})").status, 200); }
  void Insert(const std::string& name, const std::string& bytes) {
    ASSERT_EQ(Send("POST", "/upload/storage/v1/b/bucket/o?uploadType=media&name=" + name, bytes).status, 200);
  }

  RawConnection connection_{endpoint()};
};

TEST_F(JournalQueriesTest, CountEachNewGenerationAsACommit) {
  Insert("media", "1");
  ASSERT_EQ(Send("PUT", "/bucket/xml", "1").status, 200);
  ASSERT_EQ(Send("PUT", "/bucket/xml-copy", "", "x-goog-copy-source: /bucket/xml\r\n").status, 200);
  ASSERT_EQ(Send("POST", "/storage/v1/b/bucket/o/media/copyTo/b/bucket/o/copied").status, 200);
  ASSERT_EQ(Send("POST", "/storage/v1/b/bucket/o/media/rewriteTo/b/bucket/o/rewritten").status, 200);
  ASSERT_EQ(
      Send("POST", "/storage/v1/b/bucket/o/composed/compose", R"({"sourceObjects":[{"name":"media"},{"name":"xml"}]})")
          .status,
      200);
  const RawResponse start = Send("POST", "/upload/storage/v1/b/bucket/o?uploadType=resumable&name=resumed");
  const std::string location = start.Header("location");
  ASSERT_EQ(Send("PUT", location.substr(location.find("/upload/")), "abc").status, 200);
  for (const char* name : {"media", "xml", "xml-copy", "copied", "rewritten", "composed", "resumed"}) {
    EXPECT_THAT(FindCommits(emulator().journal(), "bucket", name), SizeIs(1)) << name;
  }
  Insert("media", "2");
  ASSERT_EQ(Send("PATCH", "/storage/v1/b/bucket/o/media", R"({"contentType":"text/plain"})").status, 200);
  EXPECT_THAT(FindCommits(emulator().journal(), "bucket", "media"), SizeIs(2)) << "a change of metadata makes none";
  EXPECT_THAT(FindCommits(emulator().journal()), SizeIs(7));
}

TEST_F(JournalQueriesTest, CountNoFailedWriteAsACommit) {
  ASSERT_EQ(Send("POST", "/upload/storage/v1/b/bucket/o?uploadType=media&name=o&ifGenerationMatch=5", "bytes").status,
            412);
  EXPECT_THAT(FindCommits(emulator().journal()), IsEmpty());
}

TEST_F(JournalQueriesTest, FindRepeatedReadsOfARange) {
  Insert("o", std::string(100, 'x'));
  ASSERT_EQ(Send("GET", "/storage/v1/b/bucket/o/o?alt=media", "", "Range: bytes=0-59\r\n").status, 206);
  ASSERT_EQ(Send("GET", "/bucket/o", "", "Range: bytes=60-99\r\n").status, 206);
  EXPECT_THAT(FindBytesServedTwice(emulator().journal()), IsEmpty());
  ASSERT_EQ(Send("GET", "/bucket/o", "", "Range: bytes=-50\r\n").status, 206);
  EXPECT_THAT(RepeatedIn(emulator().journal()), ElementsAre(::testing::HasSubstr("50+50")));
}

TEST_F(JournalQueriesTest, AreAnsweredOverHttp) {
  Insert("o", "bytes");
  const std::string identity = "x-goog-api-client: gccl-invocation-id/abc gccl-attempt-count/1\r\n";
  for (int i = 0; i < 2; ++i) ASSERT_EQ(Send("GET", "/storage/v1/b/bucket/o/o?alt=media", "", identity).status, 200);
  Insert("other", "bytes");
  const RawResponse response = Send("GET", "/_emulator/assertions?bucket=bucket&object=o");
  ASSERT_EQ(response.status, 200);
  const auto found = nlohmann::json::parse(response.body);
  EXPECT_EQ(found.at("isComplete"), true);
  ASSERT_THAT(found.at("committedGenerations"), SizeIs(1));
  EXPECT_EQ(found.at("committedGenerations")[0].at("object"), "o");
  ASSERT_THAT(found.at("bytesServedTwice"), SizeIs(1));
  EXPECT_EQ(found.at("bytesServedTwice")[0].at("length"), 5);
  EXPECT_EQ(found.at("mostInFlight").at("requests"), 1);
  ASSERT_THAT(found.at("arrivals"), SizeIs(1));
  EXPECT_EQ(found.at("arrivals")[0].at("count"), 2);
}

TEST_F(JournalQueriesTest, ReportMissingEntries) {
  const auto is_complete = [&](const std::string& query) {
    return nlohmann::json::parse(Send("GET", "/_emulator/assertions" + query).body).at("isComplete").get<bool>();
  };
  EXPECT_TRUE(is_complete(""));
  EXPECT_TRUE(is_complete("?since=1"));
  EXPECT_EQ(Send("GET", "/_emulator/assertions?since=-1").status, 400);
}

TEST(JournalAssertions, AreIncompleteWithoutAJournal) {
  for (const std::size_t size : {0, 2}) {
    const Emulator emulator({.journal_size = size});
    RawConnection client(emulator.endpoint());
    const auto is_complete = [&](const std::string& query) {
      const RawResponse response = client.Call("GET", "/_emulator/assertions" + query);
      return nlohmann::json::parse(response.body).at("isComplete").get<bool>();
    };
    EXPECT_EQ(is_complete(""), size != 0);
    for (int i = 0; i < 3; ++i) (void)client.Call("GET", "/storage/v1/b?project=p");
    EXPECT_FALSE(is_complete(""));
    EXPECT_EQ(is_complete("?since=1"), size != 0);
    EXPECT_EQ(is_complete("?since=3"), size != 0);
  }
}

}  // namespace
}  // namespace gcsflux::emulator
