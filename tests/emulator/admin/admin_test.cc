// The endpoints under /_emulator/, over HTTP.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "emulator/support/raw_connection.h"
#include "gcsflux/emulator/gtest.h"

namespace gcsflux::emulator {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class AdminTest : public EmulatorTest {
 protected:
  json GetJson(const std::string& target) { return json::parse(client_.Call("GET", target).body); }
  int InsertBucket(const std::string& name) {
    return client_.Call("POST", "/storage/v1/b", "", json{{"name", name}}.dump()).status;
  }

  RawConnection client_{endpoint()};
};

TEST_F(AdminTest, IsHealthy) {
  const RawResponse response = client_.Call("GET", "/_emulator/health");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(json::parse(response.body), json({{"status", "ok"}}));
  EXPECT_TRUE(emulator().journal().empty());
}

TEST_F(AdminTest, ShowsTheJournal) {
  for (const char* name : {"bucket-1", "bucket-2", "bucket-3"}) ASSERT_EQ(InsertBucket(name), 200);
  const json all = GetJson("/_emulator/journal").at("requests");
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].at("number"), 1);
  EXPECT_EQ(all[0].at("method"), "POST");
  EXPECT_EQ(all[0].at("target"), "/storage/v1/b");
  EXPECT_EQ(all[0].at("operation"), "storage.buckets.insert");
  EXPECT_EQ(all[0].at("bucket"), "bucket-1");
  EXPECT_EQ(all[0].at("status"), 200);
  EXPECT_EQ(all[0].at("bytesIn"), 19);
  EXPECT_EQ(all[0].at("finished"), true);
  EXPECT_THAT(all[0].at("start"), HasSubstr("T"));
  EXPECT_GE(all[0].at("durationMicroseconds"), 0);
  EXPECT_FALSE(all[0].contains("object"));
}

TEST_F(AdminTest, ShowsPartOfTheJournal) {
  for (const char* name : {"bucket-1", "bucket-2", "bucket-3"}) ASSERT_EQ(InsertBucket(name), 200);
  const auto numbers = [&](const std::string& query) {
    std::string seen;
    const json journal = GetJson("/_emulator/journal" + query);
    for (const json& request : journal.at("requests")) {
      seen += std::to_string(request.at("number").get<int>());
    }
    return seen;
  };
  EXPECT_EQ(numbers(""), "123");
  EXPECT_EQ(numbers("?limit=2"), "23");
  EXPECT_EQ(numbers("?since=1"), "23");
  EXPECT_EQ(numbers("?since=1&limit=1"), "2");
  EXPECT_EQ(numbers("?since=0&limit=1"), "1");
  EXPECT_EQ(numbers("?since=3"), "");
  EXPECT_EQ(numbers("?limit=0"), "");
}

TEST_F(AdminTest, ShowsCounters) {
  ASSERT_EQ(InsertBucket("bucket-1"), 200);
  ASSERT_EQ(InsertBucket("bucket-1"), 409);
  const json counters = GetJson("/_emulator/counters");
  EXPECT_EQ(counters.at("requests"), 2);
  EXPECT_EQ(counters.at("bytesIn"), 38);
  ASSERT_EQ(counters.at("operations").size(), 2U);
  EXPECT_EQ(counters.at("operations")[1].at("operation"), "storage.buckets.insert");
  EXPECT_EQ(counters.at("operations")[1].at("status"), 409);
  EXPECT_EQ(counters.at("operations")[1].at("requests"), 1);
}

TEST_F(AdminTest, ShowsMetrics) {
  ASSERT_EQ(InsertBucket("bucket"), 200);
  client_.Call("POST", "/upload/storage/v1/b/bucket/o?uploadType=media&name=o", "", "hello");
  client_.Call("POST", "/upload/storage/v1/b/bucket/o?uploadType=media&name=o", "", "hello!");
  client_.Call("POST", "/upload/storage/v1/b/bucket/o?uploadType=media&name=p", "", "hi");
  client_.Call("DELETE", "/storage/v1/b/bucket/o/p");
  const RawResponse response = client_.Call("GET", "/_emulator/metrics");
  EXPECT_EQ(response.Header("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_THAT(response.body, HasSubstr("\ngcsflux_emulator_buckets 1\n"));
  EXPECT_THAT(response.body, HasSubstr("\ngcsflux_emulator_objects 1\n"));
  EXPECT_THAT(response.body, HasSubstr("\ngcsflux_emulator_stored_bytes 6\n"));
  EXPECT_THAT(response.body, HasSubstr("\ngcsflux_emulator_connections 1\n"));
  EXPECT_THAT(response.body, HasSubstr("requests_total{operation=\"storage.objects.insert\",status=\"200\"} 3\n"));
}

TEST_F(AdminTest, Resets) {
  ASSERT_EQ(InsertBucket("bucket"), 200);
  EXPECT_EQ(client_.Call("POST", "/_emulator/reset").status, 204);
  EXPECT_EQ(GetJson("/_emulator/counters").at("requests"), 0);
  EXPECT_TRUE(GetJson("/_emulator/journal").at("requests").empty());
  EXPECT_EQ(client_.Call("GET", "/storage/v1/b/bucket").status, 404);
  EXPECT_EQ(InsertBucket("bucket"), 200);
}

TEST_F(AdminTest, LeavesVirtualHostedPathsToTheirBucket) {
  ASSERT_EQ(InsertBucket("bucket"), 200);
  client_.Call("POST", "/upload/storage/v1/b/bucket/o?uploadType=media&name=_emulator%2Fhealth", "", "content");
  client_.Send("GET /_emulator/health HTTP/1.1\r\nHost: bucket.storage.googleapis.com\r\n\r\n");
  EXPECT_EQ(client_.Receive()->body, "content");
}

TEST_F(AdminTest, RefusesUnknownPathsAndMethods) {
  struct Case {
    const char* method;
    const char* target;
    int status;
  };
  const Case cases[] = {
      {"POST", "/_emulator/", 404},
      {"GET", "/_emulator/console", 404},
      {"PUT", "/_emulator/snapshots", 405},
      {"GET", "/_emulator/nothing", 404},
      {"GET", "/_emulator/health/more", 404},
      {"GET", "/_emulator/reset", 405},
      {"POST", "/_emulator/journal", 405},
      {"GET", "/_emulator/journal?limit=-1", 400},
      {"GET", "/_emulator/journal?since=x", 400},
      {"GET", "/_emulator/journal?since=%zz", 400},
      {"POST", "/_emulator/seed", 403},
  };
  for (const Case& c : cases) {
    const RawResponse response = client_.Call(c.method, c.target);
    EXPECT_EQ(response.status, c.status) << c.method << " " << c.target;
    EXPECT_EQ(json::parse(response.body).at("error").at("code"), c.status) << c.target;
  }
}

TEST_F(AdminTest, AdvancesTheClock) {
  emulator().clock().Freeze();
  const Clock::Time before = emulator().clock().Now();
  const RawResponse response = client_.Call("PUT", "/_emulator/clock", "", R"({"advance_s": 86400.5})");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(emulator().clock().Now() - before, std::chrono::milliseconds(86'400'500));
  EXPECT_EQ(json::parse(response.body).at("now"), GetJson("/_emulator/clock").at("now"));
}

TEST_F(AdminTest, RefusesToMoveTheClockBackOrTooFar) {
  emulator().clock().Freeze();
  const Clock::Time before = emulator().clock().Now();
  for (const char* wrong : {"", "[]", "{}", R"({"advance_s": -1})", R"({"advance_s": 1e10})", R"({"advance_s": 1e999})",
                            R"({"advance_s": null})", R"({"advance_s": "soon"})", R"({"now": 1})"}) {
    EXPECT_EQ(client_.Call("PUT", "/_emulator/clock", "", wrong).status, 400) << wrong;
  }
  EXPECT_EQ(emulator().clock().Now(), before);
}

TEST_F(AdminTest, ListsSnapshots) {
  EXPECT_EQ(GetJson("/_emulator/snapshots"), json({{"names", json::array()}}));
  ASSERT_EQ(client_.Call("POST", "/_emulator/snapshot?name=b%22").status, 204);
  ASSERT_EQ(client_.Call("POST", "/_emulator/snapshot").status, 204);
  EXPECT_EQ(GetJson("/_emulator/snapshots"), json({{"names", {"", "b\""}}}));
}

TEST_F(AdminTest, ServesTheConsoleWithAPolicyThatAllowsNothingFromElsewhere) {
  for (const auto& [path, type] :
       {std::pair("", "text/html"), {"console.css", "text/css"}, {"console.js", "text/javascript"}}) {
    const RawResponse response = client_.Call("GET", std::string("/_emulator/") + path);
    EXPECT_EQ(response.status, 200) << path;
    EXPECT_EQ(response.Header("content-type"), std::string(type) + "; charset=utf-8");
    EXPECT_THAT(response.Header("content-security-policy"), HasSubstr("default-src 'none'; script-src 'self';"));
    EXPECT_THAT(response.Header("content-security-policy"), HasSubstr("frame-ancestors 'none'"));
    EXPECT_EQ(response.Header("x-content-type-options"), "nosniff");
  }
}

TEST_F(AdminTest, RefusesTheConsoleToPagesOfOtherSites) {
  client_.Send("GET /_emulator/ HTTP/1.1\r\nHost: rebound.attacker.com\r\n\r\n");
  EXPECT_EQ(client_.Receive()->status, 403);
  for (const char* target : {"/_emulator/clock", "/_emulator/faults", "/_emulator/quotas"}) {
    EXPECT_EQ(client_.Call("PUT", target, "Origin: https://attacker.com\r\n", "{}").status, 403) << target;
  }
}

TEST(AdminToken, IsRequiredExceptForHealth) {
  Emulator emulator({.admin_token = "secret"});
  RawConnection client(emulator.endpoint());
  for (const char* wrong : {"", "Authorization: Bearer other\r\n", "Authorization: secret\r\n", "Authorization:\r\n"}) {
    EXPECT_EQ(client.Call("POST", "/_emulator/reset", wrong).status, 401) << wrong;
    EXPECT_EQ(client.Call("GET", "/_emulator/journal", wrong).status, 401) << wrong;
    EXPECT_EQ(client.Call("PUT", "/_emulator/faults", wrong, "{}").status, 401) << wrong;
    EXPECT_EQ(client.Call("GET", "/_emulator/none", wrong).status, 401) << wrong;
  }
  EXPECT_EQ(client.Call("POST", "/_emulator/reset", "Authorization: Bearer secret\r\n").status, 204);
  EXPECT_EQ(client.Call("GET", "/_emulator/health").status, 200);
  EXPECT_EQ(client.Call("GET", "/_emulator/").status, 200);  // the console, which asks for the token
  EXPECT_EQ(client.Call("GET", "/storage/v1/b").status, 200);
}

}  // namespace
}  // namespace gcsflux::emulator
