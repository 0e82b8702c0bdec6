// Shaping, as a client sees it, on a frozen clock, so that durations are exact.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "emulator/support/raw_connection.h"
#include "gcsflux/emulator/gtest.h"

namespace gcsflux::emulator {
namespace {

using nlohmann::json;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using ::testing::HasSubstr;

class ShapingHttpTest : public EmulatorTest {
 protected:
  ShapingHttpTest() {
    client_.Call("POST", "/storage/v1/b", "", R"({"name":"bucket"})");
    for (const char* name : {"a", "b", "c"}) Insert(name, "content");
    emulator().clock().Freeze();
  }

  RawResponse Insert(const std::string& name, const std::string& content) {
    return client_.Call("POST", "/upload/storage/v1/b/bucket/o?uploadType=media&name=" + name, "", content);
  }

  // The answer to a request that waits, after so much time has passed, and how long it took.
  RawResponse CallDelayed(const std::string& method, const std::string& target, std::chrono::nanoseconds time,
                          const std::string& body = "") {
    client_.Send(method + " " + target + " HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(body.size()) +
                 "\r\n\r\n" + body);
    emulator().clock().AwaitWaiters(1);
    emulator().clock().Advance(time);
    return *client_.Receive();
  }
  [[nodiscard]] std::chrono::nanoseconds LastDuration() { return emulator().journal().back().duration; }

  RawConnection client_{endpoint()};
};

TEST_F(ShapingHttpTest, DelaysTheFirstByteByClass) {
  emulator().shaping().Set({.read_first_byte_ms = 50,
                            .write_first_byte_ms = 80,
                            .list_first_byte_ms = 60,
                            .compose_first_byte_ms = 100,
                            .delete_first_byte_ms = 40});
  struct Case {
    const char* method;
    const char* target;
    const char* body;
    int milliseconds;
  };
  const Case cases[] = {
      {"GET", "/storage/v1/b/bucket/o/a?alt=media", "", 50},
      {"GET", "/storage/v1/b/bucket/o/a", "", 50},
      {"GET", "/bucket/a", "", 50},
      {"POST", "/upload/storage/v1/b/bucket/o?uploadType=media&name=d", "new", 80},
      {"PUT", "/bucket/e", "new", 80},
      {"PATCH", "/storage/v1/b/bucket/o/a", "{}", 80},
      {"GET", "/storage/v1/b/bucket/o", "", 60},
      {"GET", "/bucket", "", 60},
      {"POST", "/storage/v1/b/bucket/o/f/compose", R"({"sourceObjects":[{"name":"a"},{"name":"b"}]})", 100},
      {"DELETE", "/storage/v1/b/bucket/o/c", "", 40},
  };
  for (const Case& c : cases) {
    const RawResponse response = CallDelayed(c.method, c.target, milliseconds(c.milliseconds), c.body);
    EXPECT_LT(response.status, 300) << c.method << " " << c.target;
    EXPECT_EQ(LastDuration(), milliseconds(c.milliseconds)) << c.method << " " << c.target;
  }
}

TEST_F(ShapingHttpTest, ChargesListsByTheirItems) {
  emulator().shaping().Set({.list_first_byte_ms = 60, .list_item_us = 70});
  for (const char* target : {"/storage/v1/b/bucket/o", "/bucket?list-type=2"}) {
    CallDelayed("GET", target, microseconds(60'210));
    EXPECT_EQ(LastDuration(), microseconds(60'210)) << target;
  }
  CallDelayed("GET", "/storage/v1/b/bucket/o?maxResults=2", microseconds(60'140));
  EXPECT_EQ(LastDuration(), microseconds(60'140));
  CallDelayed("GET", "/storage/v1/b?project=p", microseconds(60'070));
  EXPECT_EQ(LastDuration(), microseconds(60'070));
}

TEST_F(ShapingHttpTest, PacesADownload) {
  Insert("large", std::string(50'000, 'x'));
  emulator().shaping().Set({.stream_read_mbps = 1});
  const RawResponse response = CallDelayed("GET", "/storage/v1/b/bucket/o/large?alt=media", milliseconds(49));
  EXPECT_EQ(response.body, std::string(50'000, 'x'));
  EXPECT_EQ(LastDuration(), milliseconds(49)) << "50 slices; the first is sent at once";
}

TEST_F(ShapingHttpTest, SendsASliceWhenDue) {
  Insert("large", std::string(3'000, 'x'));
  emulator().shaping().Set({.stream_read_mbps = 1});
  client_.Send("GET /storage/v1/b/bucket/o/large?alt=media HTTP/1.1\r\nHost: h\r\n\r\n");
  emulator().clock().AwaitWaiters(1);
  EXPECT_EQ(emulator().journal().back().bytes_out, 1'000U);
  emulator().clock().Advance(milliseconds(2));
  EXPECT_EQ(client_.Receive()->body.size(), 3'000U);
}

TEST_F(ShapingHttpTest, PacesAnUpload) {
  emulator().shaping().Set({.stream_write_mbps = 1});
  EXPECT_EQ(CallDelayed("POST", "/upload/storage/v1/b/bucket/o?uploadType=media&name=large", milliseconds(49),
                        std::string(50'000, 'x'))
                .status,
            200);
  EXPECT_EQ(LastDuration(), milliseconds(49));
  emulator().shaping().Set({});
  EXPECT_EQ(client_.Call("GET", "/storage/v1/b/bucket/o/large?alt=media").body, std::string(50'000, 'x'));
}

TEST_F(ShapingHttpTest, LiftsALimitFromAnOpenConnection) {
  emulator().shaping().Set({.stream_write_mbps = 0.1});
  RawConnection slow(endpoint());
  const std::string target = "/upload/storage/v1/b/bucket/o?uploadType=media&name=large";
  EXPECT_EQ(slow.Call("POST", target, "", std::string(100, 'x')).status, 200);
  emulator().shaping().Set({});
  EXPECT_EQ(slow.Call("POST", target, "", std::string(5'000'000, 'x')).status, 200);
  emulator().shaping().Set({.stream_write_mbps = 10'000});
  emulator().clock().Advance(std::chrono::seconds(1));
  RawConnection fast(endpoint());
  EXPECT_EQ(fast.Call("POST", target, "", std::string(100'000, 'x')).status, 200);
}

TEST_F(ShapingHttpTest, SharesABucketsRateAmongItsStreams) {
  Insert("large", std::string(10'000, 'x'));
  emulator().shaping().Set({.bucket_read_mbps = 1});
  RawConnection other(endpoint());
  const std::string request = "GET /storage/v1/b/bucket/o/large?alt=media HTTP/1.1\r\nHost: h\r\n\r\n";
  client_.Send(request);
  other.Send(request);
  emulator().clock().AwaitWaiters(2);
  emulator().clock().Advance(milliseconds(19));
  EXPECT_EQ(client_.Receive()->body.size() + other.Receive()->body.size(), 20'000U);
}

TEST_F(ShapingHttpTest, ChangesRunningTransfers) {
  Insert("large", std::string(1'000'000, 'x'));
  emulator().shaping().Set({.stream_read_mbps = 0.001});
  client_.Send("GET /storage/v1/b/bucket/o/large?alt=media HTTP/1.1\r\nHost: h\r\n\r\n");
  emulator().clock().AwaitWaiters(1);
  emulator().shaping().Set({});
  emulator().clock().Advance(milliseconds(1));
  EXPECT_EQ(client_.Receive()->body.size(), 1'000'000U);
}

TEST_F(ShapingHttpTest, DoesNotDelayRefusals) {
  emulator().shaping().Set({.read_first_byte_ms = 1000});
  emulator().quotas().Set({.reads_per_second = 0.1});
  EXPECT_EQ(CallDelayed("GET", "/storage/v1/b/bucket/o/a", milliseconds(1000)).status, 200);
  EXPECT_EQ(client_.Call("GET", "/storage/v1/b/bucket/o/a").status, 429);
}

TEST_F(ShapingHttpTest, GivesTheSameLatenciesForTheSameSeed) {
  // Whether a read waited a second; it waits that long or not at all.
  const auto waits = [&](const std::string& name) {
    std::jthread driver([&] {
      emulator().clock().AwaitWaiters(1);
      emulator().clock().Advance(milliseconds(1000));
    });
    client_.Call("GET", "/storage/v1/b/bucket/o/" + name);
    const bool has_waited = LastDuration() == milliseconds(1000);
    // The driver needs a waiter.
    if (!has_waited) emulator().clock().WaitUntil(emulator().clock().Now() + milliseconds(1000), {});
    return has_waited;
  };
  const auto pattern = [&](std::uint64_t seed, const std::string& names) {
    emulator().Reset();
    emulator().shaping().Set({.read_first_byte_ms = Distribution::Empirical({0.0, 1000.0}), .seed = seed});
    std::map<char, std::string> seen;
    for (const char name : names) seen[name] += waits(std::string(1, name)) ? 'w' : '-';
    return seen;
  };
  const auto first = pattern(1, "aaaaaaaabbbbbbbb");
  EXPECT_EQ(pattern(1, "babababaabababab"), first) << "in any order";
  EXPECT_NE(pattern(2, "aaaaaaaabbbbbbbb"), first);
  EXPECT_NE(first.at('a'), first.at('b'));
}

TEST_F(ShapingHttpTest, ChangesOverHttp) {
  EXPECT_EQ(client_.Call("PUT", "/_emulator/shaping", "", R"({"profile": "gcs", "read_first_byte_ms": 0})").status,
            200);
  Shaping want = ShapingProfile("gcs");
  want.read_first_byte_ms = 0;
  EXPECT_EQ(emulator().shaping().Get(), want);
  EXPECT_EQ(json::parse(client_.Call("GET", "/_emulator/shaping").body).at("stream_read_mbps"), 250);
  const RawResponse refused = client_.Call("PUT", "/_emulator/shaping", "", "{\"seed\": 1,\n\"list_item_us\": -1}");
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.body, HasSubstr("shaping: line 2: list_item_us"));
  EXPECT_EQ(emulator().shaping().Get(), want);
}

TEST_F(ShapingHttpTest, ReleasesWaitersWhenTheEmulatorStops) {
  emulator().shaping().Set({.read_first_byte_ms = 1e8});
  client_.Send("GET /storage/v1/b/bucket/o/a HTTP/1.1\r\nHost: h\r\n\r\n");
  emulator().clock().AwaitWaiters(1);
  emulator().Stop();  // would otherwise wait for the connection for ever
}

}  // namespace
}  // namespace gcsflux::emulator
