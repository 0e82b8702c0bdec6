// Quotas, as a client meets them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "emulator/support/raw_connection.h"
#include "gcsflux/emulator/gtest.h"

namespace gcsflux::emulator {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

constexpr const char* kInsert = "/upload/storage/v1/b/bucket/o?uploadType=media&name=object";
constexpr const char* kMedia = "/storage/v1/b/bucket/o/object?alt=media";

class QuotaHttpTest : public EmulatorTest {
 protected:
  QuotaHttpTest() {
    client_.Call("POST", "/storage/v1/b", "", R"({"name":"bucket"})");
    client_.Call("POST", kInsert, "", std::string(10'000, 'x'));
    emulator().clock().Freeze();
  }

  RawConnection client_{endpoint()};
};

struct Refusal {
  const char* name;
  Quotas quotas;
  const char* method;
  const char* target;
  const char* body;
  const char* message;      // of JSON
  const char* xml_target;   // the same by the XML API
  const char* xml_details;  // or null if the code is enough
};

class QuotaRefusalTest : public QuotaHttpTest, public ::testing::WithParamInterface<Refusal> {};
class QuotaXmlRefusalTest : public QuotaRefusalTest {};

TEST_P(QuotaRefusalTest, HasTheJsonFormOfGcs) {
  const Refusal& refusal = GetParam();
  emulator().quotas().Set(refusal.quotas);
  EXPECT_LT(client_.Call(refusal.method, refusal.target, "", refusal.body).status, 300);
  const RawResponse response = client_.Call(refusal.method, refusal.target, "", refusal.body);
  EXPECT_EQ(response.status, 429);
  EXPECT_EQ(response.Header("content-type"), "application/json; charset=UTF-8");
  EXPECT_EQ(response.Header("retry-after"), "");
  EXPECT_EQ(
      json::parse(response.body),
      json({{"error",
             {{"code", 429},
              {"message", refusal.message},
              {"errors", {{{"domain", "global"}, {"reason", "rateLimitExceeded"}, {"message", refusal.message}}}}}}}));
}

TEST_P(QuotaXmlRefusalTest, HasTheXmlFormOfGcs) {
  const Refusal& refusal = GetParam();
  const std::string method = std::string(refusal.method) == "POST" ? "PUT" : refusal.method;
  emulator().quotas().Set(refusal.quotas);
  EXPECT_LT(client_.Call(method, refusal.xml_target, "", refusal.body).status, 300);
  const RawResponse response = client_.Call(method, refusal.xml_target, "", refusal.body);
  EXPECT_EQ(response.status, 429);
  EXPECT_EQ(response.Header("content-type"), "application/xml; charset=UTF-8");
  const std::string details =
      refusal.xml_details != nullptr ? "<Details>" + std::string(refusal.xml_details) + "</Details>" : "";
  EXPECT_EQ(response.body,
            "<?xml version='1.0' encoding='UTF-8'?><Error><Code>SlowDown</Code><Message>Please reduce your request "
            "rate.</Message>" +
                details + "</Error>");
}

constexpr const char* kMutations =
    "The object bucket/object exceeded the rate limit for object mutation operations (create, update, and delete). "
    "Please reduce your request rate. See https://cloud.google.com/storage/docs/gcs429.";
constexpr const char* kUpdates =
    "The bucket bucket exceeded the rate limit for bucket metadata update operations. Please reduce your request rate. "
    "See https://cloud.google.com/storage/docs/gcs429.";
constexpr const char* kEgress = "This workload is drawing too much egress bandwidth from Google Cloud Storage.";

const Refusal kRefusals[] = {
    {"reads",
     {.reads_per_second = 1},
     "GET",
     "/storage/v1/b/bucket/o/object",
     "",
     "Too many Requests",
     "/bucket/object",
     nullptr},
    {"lists", {.reads_per_second = 1}, "GET", "/storage/v1/b/bucket/o", "", "Too many Requests", "/bucket", nullptr},
    {"writes", {.writes_per_second = 1}, "POST", kInsert, "x", "Too many Requests", "/bucket/object", nullptr},
    {"range_reads", {.range_reads_per_second = 1}, "GET", kMedia, "", "Too many Requests", "/bucket/object", nullptr},
    {"range_writes",
     {.range_writes_per_second = 1},
     "POST",
     kInsert,
     "x",
     "Too many Requests",
     "/bucket/object",
     nullptr},
    {"mutations", {.object_mutations_per_second = 1}, "POST", kInsert, "x", kMutations, "/bucket/object", kMutations},
    {"egress", {.egress_mbps = 0.001}, "GET", kMedia, "", kEgress, "/bucket/object", kEgress},
};
const Refusal kUpdateRefusal = {"updates",
                                {.bucket_updates_per_second = 1},
                                "PATCH",
                                "/storage/v1/b/bucket",
                                R"({"labels":{"a":"b"}})",
                                kUpdates,
                                nullptr,
                                nullptr};

std::string NameOf(const ::testing::TestParamInfo<Refusal>& test) { return test.param.name; }

INSTANTIATE_TEST_SUITE_P(Causes, QuotaRefusalTest, ::testing::ValuesIn(kRefusals), NameOf);
INSTANTIATE_TEST_SUITE_P(Updates, QuotaRefusalTest, ::testing::Values(kUpdateRefusal), NameOf);
INSTANTIATE_TEST_SUITE_P(Causes, QuotaXmlRefusalTest, ::testing::ValuesIn(kRefusals), NameOf);

TEST_F(QuotaHttpTest, RefusesWithoutAnEffect) {
  emulator().quotas().Set({.writes_per_second = 1});
  EXPECT_EQ(client_.Call("POST", kInsert, "", "first").status, 200);
  EXPECT_EQ(client_.Call("POST", kInsert, "", "second").status, 429);
  EXPECT_EQ(client_.Call("GET", kMedia).body, "first");
}

TEST_F(QuotaHttpTest, ServesAgainAfterItsInterval) {
  emulator().quotas().Set({.reads_per_second = 10});
  EXPECT_EQ(client_.Call("GET", kMedia).status, 200);
  emulator().clock().Advance(milliseconds(99));
  EXPECT_EQ(client_.Call("GET", kMedia).status, 429);
  emulator().clock().Advance(milliseconds(1));
  EXPECT_EQ(client_.Call("GET", kMedia).status, 200);
}

TEST_F(QuotaHttpTest, SendsRetryAfterIfConfigured) {
  emulator().quotas().Set({.reads_per_second = 1, .retry_after_s = 1.5});
  client_.Call("GET", kMedia);
  EXPECT_EQ(client_.Call("GET", kMedia).Header("retry-after"), "2");
}

TEST_F(QuotaHttpTest, AllowsAnAnswerToOverdrawTheEgress) {
  emulator().quotas().Set({.egress_mbps = 0.01});  // holds 500 bytes; the object has 10,000
  EXPECT_EQ(client_.Call("GET", kMedia).status, 200);
  emulator().clock().Advance(milliseconds(949));
  EXPECT_EQ(client_.Call("GET", kMedia).status, 429);
  EXPECT_EQ(client_.Call("GET", "/storage/v1/b/bucket/o/object").status, 200) << "metadata are not egress";
  emulator().clock().Advance(milliseconds(2));
  EXPECT_EQ(client_.Call("GET", kMedia).status, 200);
}

TEST_F(QuotaHttpTest, ChangesWhileItRuns) {
  EXPECT_EQ(client_.Call("PUT", "/_emulator/quotas", "", R"({"reads_per_second": 1})").status, 200);
  EXPECT_EQ(client_.Call("GET", kMedia).status, 200);
  EXPECT_EQ(client_.Call("GET", kMedia).status, 429);
  EXPECT_EQ(client_.Call("PUT", "/_emulator/quotas", "", R"({"depth_ms": 10})").status, 200);
  EXPECT_EQ(client_.Call("GET", kMedia).status, 200);
  EXPECT_EQ(emulator().quotas().Get(), (Quotas{.depth_ms = 10})) << "a PUT replaces all";
}

TEST_F(QuotaHttpTest, ShowsItsRefusals) {
  client_.Call("PUT", "/_emulator/quotas", "", R"({"reads_per_second": 1, "range_reads_per_second": 5})");
  for (int i = 0; i < 4; ++i) client_.Call("GET", kMedia);
  const json shown = json::parse(client_.Call("GET", "/_emulator/quotas").body);
  EXPECT_EQ(shown.at("reads_per_second"), 1);
  EXPECT_EQ(shown.at("writes_per_second"), nullptr);
  EXPECT_EQ(shown.at("counters").at("admitted"), 1);
  EXPECT_EQ(shown.at("counters").at("refused").at("reads"), 3);
  EXPECT_EQ(shown.at("counters").at("ranges").at("bucket"), 1);
}

TEST_F(QuotaHttpTest, RefusesWrongSettingsAsAWhole) {
  const RawResponse response =
      client_.Call("PUT", "/_emulator/quotas", "", "{\n\"reads_per_second\": 1,\n\"writes_per_second\": \"many\"}");
  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(response.body, HasSubstr("quotas: line 3: writes_per_second"));
  EXPECT_EQ(emulator().quotas().Get(), Quotas());
  EXPECT_EQ(client_.Call("DELETE", "/_emulator/quotas").status, 405);
}

TEST_F(QuotaHttpTest, CountsOnlyTheLastChunkAsAMutation) {
  emulator().quotas().Set({.object_mutations_per_second = 1});
  const auto upload = [&] {
    const std::string location =
        client_.Call("POST", "/upload/storage/v1/b/bucket/o?uploadType=resumable&name=new").Header("location");
    const std::string session = location.substr(location.find("/upload/"));
    const std::string chunk(256 << 10, 'x');
    EXPECT_EQ(client_.Call("PUT", session, "Content-Range: bytes 0-262143/*\r\n", chunk).status, 308);
    return client_.Call("PUT", session, "Content-Range: bytes 262144-262144/262145\r\n", "x").status;
  };
  EXPECT_EQ(upload(), 200);
  EXPECT_EQ(upload(), 429);
  emulator().clock().Advance(seconds(1));
  EXPECT_EQ(upload(), 200);
}

TEST_F(QuotaHttpTest, DelaysRequestsNearTheLimit) {
  emulator().quotas().Set({.reads_per_second = 1, .depth_ms = 3000, .latency_growth_ms = 40});
  client_.Send("GET " + std::string(kMedia) + " HTTP/1.1\r\nHost: h\r\n\r\n");
  emulator().clock().AwaitWaiters(1);
  emulator().clock().Advance(milliseconds(40));
  EXPECT_EQ(client_.Receive()->status, 200);
  EXPECT_EQ(emulator().journal().back().duration, milliseconds(40));
}

TEST_F(QuotaHttpTest, EndsWithAReset) {
  emulator().quotas().Set({.reads_per_second = 1});
  EXPECT_EQ(client_.Call("POST", "/_emulator/reset").status, 204);
  EXPECT_EQ(emulator().quotas().Get(), Quotas());
}

TEST_F(QuotaHttpTest, ChargesNoBytesForHead) {
  emulator().quotas().Set({.egress_mbps = 0.001});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client_.Call("HEAD", kMedia).status, 200);
  EXPECT_EQ(client_.Call("GET", kMedia).status, 200);
  EXPECT_EQ(client_.Call("GET", kMedia).status, 429);
}

TEST_F(QuotaHttpTest, CountsAMultiDeleteAsAChangeOfEachObject) {
  const auto remove = [&](const std::vector<std::string>& names) {
    std::string body = "<Delete>";
    for (const std::string& name : names) body += "<Object><Key>" + name + "</Key></Object>";
    return client_.Call("POST", "/bucket?delete", "", body + "</Delete>");
  };
  emulator().quotas().Set({.object_mutations_per_second = 1});
  EXPECT_EQ(remove({"a", "b"}).status, 200);
  const RawResponse refused = remove({"c", "object", "b"});
  EXPECT_EQ(refused.status, 429);
  EXPECT_THAT(refused.body, HasSubstr("The object bucket/b exceeded"));
  EXPECT_EQ(client_.Call("GET", kMedia).status, 200) << "nothing of it was deleted";
  EXPECT_EQ(remove({"c", "object"}).status, 200) << "and it took nothing";
  EXPECT_EQ(client_.Call("DELETE", "/bucket/c").status, 429);

  emulator().quotas().Set({.writes_per_second = 10, .depth_ms = 1000});
  std::vector<std::string> names;
  for (int i = 0; i < 25; ++i) names.push_back(std::to_string(i));
  EXPECT_EQ(remove(names).status, 200);
  EXPECT_EQ(client_.Call("POST", kInsert, "", "x").status, 429);
  emulator().clock().Advance(milliseconds(1500));
  EXPECT_EQ(client_.Call("POST", kInsert, "", "x").status, 429) << "it owes 15";
  emulator().clock().Advance(milliseconds(100));
  EXPECT_EQ(client_.Call("POST", kInsert, "", "x").status, 200);
}

}  // namespace
}  // namespace gcsflux::emulator
