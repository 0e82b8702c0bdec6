// Runs in a bucket that others use too, and what removes the rest of a run, against the emulator.

#include "run_cases/within_prefix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "gcsflux/emulator/emulator.h"
#include "http/curl_transport.h"
#include "read_cases/load_cases.h"
#include "run_cases/run_marker.h"
#include "run_cases/suite.h"
#include "run_cases/test_bucket.h"

namespace gcsflux::conformance {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class SharedBucket : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(CreateBucket(service_, "shared"));
    Put("shared", "theirs");
  }

  void Put(const std::string& bucket, const std::string& name) {
    const auto stored =
        transport_.Send({.method = "POST",
                         .target = "/upload/storage/v1/b/" + bucket + "/o?uploadType=media&name=" + name,
                         .body = "x"});
    ASSERT_TRUE(stored && stored->status == 200);
  }
  std::string List(const std::string& bucket) {
    const auto listed =
        transport_.Send({.method = "GET", .target = "/storage/v1/b/" + bucket + "/o?fields=items/name"});
    return listed ? listed->body : listed.error();
  }
  int StatusOf(const std::string& bucket) {
    const auto got = transport_.Send({.method = "GET", .target = "/storage/v1/b/" + bucket});
    return got ? got->status : 0;
  }
  Cleaned Clean(const RunPlace& place, std::int64_t now) {
    const auto cleaned = CleanRuns(service_, place, now, out_);
    EXPECT_TRUE(cleaned) << cleaned.error();
    return cleaned.value_or(Cleaned{});
  }

  emulator::Emulator emulator_;
  CurlTransport transport_{emulator_.endpoint(), ""};
  const Service service_{.transport = transport_,
                         .endpoint = emulator_.endpoint(),
                         .project = "p",
                         .sleep = [](auto) {},
                         .connect = [this] { return std::make_unique<CurlTransport>(emulator_.endpoint(), ""); }};
  std::ostringstream out_;
};

TEST_F(SharedBucket, CasesPassAndLeaveItAsItWas) {
  const auto cases = LoadEmbeddedCases();
  ASSERT_TRUE(cases) << cases.error();
  const auto checks = ChecksInSharedBucket(*cases, "shared", "conformance-12345678");
  const SuiteRun run{.is_interrupted = [] { return false; }};
  const SuiteResult result = RunSuite(checks, {&service_, 1}, run, out_, out_);
  for (std::size_t i = 0; i < checks.size(); ++i) {
    const Outcome& outcome = result.outcomes[i];
    EXPECT_NE(outcome.kind, Outcome::Kind::kFailed) << checks[i].name << ": " << outcome.detail;
    EXPECT_EQ(outcome.leftover, "") << checks[i].name;
  }
  EXPECT_GT(result.tally.passed, 100);
  EXPECT_EQ(Json::parse(List("shared")), Json::parse(R"({"items": [{"name": "theirs"}]})"));
  for (const auto& record : emulator_.journal()) {
    if (record.committed_generation == 0 || record.object == "theirs") continue;
    EXPECT_EQ(record.bucket, "shared") << record.target;
    EXPECT_THAT(record.object, ::testing::StartsWith("conformance-12345678/")) << record.target;
  }
}

TEST_F(SharedBucket, IsNotUsedIfItKeepsWhatIsDeleted) {
  EXPECT_EQ(WhyUnsuitable(service_, "shared"), "");
  EXPECT_THAT(WhyUnsuitable(service_, "none"), HasSubstr("404"));
  const std::pair<const char*, const char*> settings[] = {
      {R"({"versioning": {"enabled": true}})", "it keeps old versions"},
      {R"({"versioning": {"enabled": false}, "defaultEventBasedHold": true})", "it holds new objects"},
      {R"({"retentionPolicy": {"retentionPeriod": "9"}})", "it has a retention policy"}};
  for (const auto& [patch, why] : settings) {
    transport_.Send({.method = "PATCH",
                     .target = "/storage/v1/b/shared",
                     .headers = {{"Content-Type", "application/json"}},
                     .body = patch});
    EXPECT_THAT(WhyUnsuitable(service_, "shared"), HasSubstr(why));
  }
}

TEST_F(SharedBucket, CleanRemovesAnEndedRunOnly) {
  const RunPlace place{.prefix = "t", .shared_bucket = "shared"};
  ASSERT_TRUE(MakeMarker(service_, place, "0000000a", 100));
  ASSERT_TRUE(MakeMarker(service_, place, "0000000b", 200));
  Put("shared", "t-0000000a%2F1%2Fx");
  Put("shared", "t-0000000c%2Flooks-like-it");  // no marker
  const Cleaned cleaned = Clean(place, 150);
  EXPECT_EQ(cleaned.runs, 1);
  EXPECT_EQ(cleaned.running, 1);
  EXPECT_THAT(List("shared"), Not(HasSubstr("t-0000000a")));
  EXPECT_THAT(List("shared"), HasSubstr("t-0000000b/conformance-run.json"));
  EXPECT_THAT(List("shared"), HasSubstr("t-0000000c/looks-like-it"));
  EXPECT_THAT(List("shared"), HasSubstr("theirs"));
}

TEST_F(SharedBucket, CleanRemovesTheBucketsOfAnEndedRunOnly) {
  const RunPlace place{.prefix = "t"};
  ASSERT_TRUE(MakeMarker(service_, place, "0000000a", 100));
  ASSERT_TRUE(MakeMarker(service_, place, "0000000b", 200));
  for (const char* bucket : {"t-0000000a-1", "t-0000000a-1-new", "t-0000000b-1", "t-0000000c-1", "t-0000000ab-1"}) {
    ASSERT_TRUE(CreateBucket(service_, bucket));
  }
  Put("t-0000000a-1", "x");
  EXPECT_EQ(Clean(place, 150).runs, 1);
  for (const char* bucket : {"t-0000000a", "t-0000000a-1", "t-0000000a-1-new"}) EXPECT_EQ(StatusOf(bucket), 404);
  for (const char* bucket : {"t-0000000b", "t-0000000b-1", "t-0000000c-1", "t-0000000ab-1"}) {
    EXPECT_EQ(StatusOf(bucket), 200) << bucket;
  }
}

/// Every page of a listing says that there are more.
class EndlessListing : public Transport {
 public:
  OrError<Response> Send(const Request& /*request*/) override {
    ++requests;
    return Response{.status = 200, .body = R"({"items": [], "nextPageToken": "more"})"};
  }
  int requests = 0;
};

TEST(CleanRuns, EndsIfTheListingNeverDoes) {
  EndlessListing transport;
  std::ostringstream out;
  const auto cleaned = CleanRuns({.transport = transport, .project = "p"}, {.prefix = "t"}, 0, out);
  ASSERT_FALSE(cleaned);
  EXPECT_THAT(cleaned.error(), HasSubstr("the listing does not end"));
  EXPECT_EQ(transport.requests, 1000);
}

}  // namespace
}  // namespace gcsflux::conformance
