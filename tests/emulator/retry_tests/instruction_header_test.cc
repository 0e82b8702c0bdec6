#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "emulator/support/retry_test_fixture.h"

namespace gcsflux::emulator {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

// x-goog-emulator-instructions, which apply to one request only.
class InstructionHeaderTest : public RetryTestApiTest {
 protected:
  static std::string Header(const std::string& instruction) {
    return "x-goog-emulator-instructions: " + instruction + "\r\n";
  }
  std::string Get(const std::string& target, const std::string& headers) {
    RawConnection connection(endpoint());
    connection.Send("GET " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + headers + "\r\n");
    return connection.ReceiveAll();
  }
  static std::string BodyOf(const std::string& answer) { return answer.substr(answer.find("\r\n\r\n") + 4); }
};

TEST_F(InstructionHeaderTest, BreaksAStreamAfterOneMib) {
  Store("big", std::string((1 << 20) + 1, 'b'));
  EXPECT_EQ(BodyOf(Get("/bucket/big", Header("return-broken-stream"))).size(), std::size_t{1} << 20);
  EXPECT_EQ(BodyOf(Get("/bucket/big", "x-goog-testbench-instructions: return-broken-stream\r\n")).size(),
            std::size_t{1} << 20);
  EXPECT_EQ(BodyOf(Get("/bucket/o", Header("return-broken-stream"))).size(), 100U);
}

TEST_F(InstructionHeaderTest, CorruptsTheFirstByteAndKeepsTheHashes) {
  const std::string whole = Get("/bucket/o", "");
  const std::string corrupted = Get("/bucket/o", Header("return-corrupted-data"));
  const auto hash = [](const std::string& answer) {
    const std::size_t begin = answer.find("X-Goog-Hash");
    return answer.substr(begin, answer.find("\r\n", begin) - begin);
  };
  EXPECT_EQ(hash(corrupted), hash(whole));
  EXPECT_NE(BodyOf(corrupted)[0], BodyOf(whole)[0]);
  EXPECT_EQ(BodyOf(corrupted).substr(1), BodyOf(whole).substr(1));
  EXPECT_EQ(BodyOf(Get("/bucket/o", "")), std::string(100, 'o')) << "the store was changed";
}

TEST_F(InstructionHeaderTest, FailsAfter256KibThenAtOnce) {
  Store("big", std::string(2 * k256Kib, 'b'));
  EXPECT_EQ(BodyOf(Get("/bucket/big", Header("return-503-after-256K"))).size(), k256Kib);
  EXPECT_THAT(Get("/bucket/big", Header("return-503-after-256K") + "Range: bytes=262144-\r\n"),
              ::testing::StartsWith("HTTP/1.1 503"));
}

TEST_F(InstructionHeaderTest, Stalls) {
  Store("big", std::string(2 * k256Kib, 'b'));
  struct Case {
    std::string instruction;
    std::string range;
    std::optional<std::size_t> at;
  };
  const std::vector<Case> cases = {{"stall-always", "", 0},
                                   {"stall-always", "Range: bytes=100-\r\n", 0},
                                   {"stall-at-256KiB", "", k256Kib},
                                   {"stall-at-256KiB", "Range: bytes=100-\r\n", std::nullopt}};
  emulator().clock().Freeze();
  for (const Case& test : cases) {
    SCOPED_TRACE(test.instruction + " " + test.range);
    RawConnection connection(endpoint());
    connection.Send("GET /bucket/big HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + Header(test.instruction) +
                    test.range + "\r\n");
    if (test.at) {
      emulator().clock().AwaitWaiters(1);
      EXPECT_EQ(emulator().journal().back().bytes_out, *test.at);
      emulator().clock().Advance(std::chrono::seconds(10));
    }
    EXPECT_EQ(BodyOf(connection.ReceiveAll()).size(), 2 * k256Kib - (test.range.empty() ? 0 : 100));
  }
}

TEST_F(InstructionHeaderTest, StallsLists) {
  emulator().clock().Freeze();
  RawConnection connection(endpoint());
  connection.Send("GET /storage/v1/b/bucket/o HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" +
                  Header("stall-always") + "\r\n");
  emulator().clock().AwaitWaiters(1);
  emulator().clock().Advance(std::chrono::seconds(10));
  EXPECT_THAT(connection.ReceiveAll(), HasSubstr("\"name\":\"o\""));
}

TEST_F(InstructionHeaderTest, FailsAnUploadAfter256Kib) {
  const std::string header = "x-goog-testbench-instructions: return-503-after-256K\r\n";
  const std::string upload = "/upload/storage/v1/b/bucket/o?name=failed&uploadType=";
  EXPECT_EQ(Call("POST", upload + "media", std::string(2 * k256Kib, 'f'), header).status, 503);
  EXPECT_EQ(Call("GET", "/storage/v1/b/bucket/o/failed").status, 404);
  EXPECT_EQ(Call("POST", upload + "media", std::string(k256Kib - 1, 'f'), header).status, 200) << "it is smaller";
  EXPECT_EQ(Call("DELETE", "/storage/v1/b/bucket/o/failed").status, 204);

  const std::string location = Call("POST", upload + "resumable", "").Header("location");
  const std::string session = location.substr(location.find("/upload/"));
  EXPECT_EQ(Call("PUT", session, std::string(2 * k256Kib, 'f'), header).status, 503);
  const RawResponse state = Call("PUT", session, "", "Content-Range: bytes */*\r\n");
  EXPECT_EQ(state.status, 308);
  EXPECT_EQ(state.Header("range"), "bytes=0-262143");
  EXPECT_EQ(
      Call("PUT", session, std::string(k256Kib, 'f'), header + "Content-Range: bytes 262144-524287/524288\r\n").status,
      200);
  EXPECT_TRUE(Call("GET", "/bucket/failed").body == std::string(2 * k256Kib, 'f'));
}

TEST_F(InstructionHeaderTest, CorruptsAnUploadBeforeTheHash) {
  const std::string target = "/upload/storage/v1/b/bucket/o?uploadType=media&name=damaged";
  EXPECT_EQ(Call("POST", target, "bytes", Header("inject-upload-data-error")).status, 200);
  EXPECT_EQ(Call("GET", "/bucket/damaged").body, "cytes");
  const std::string true_hash =
      "x-goog-hash: crc32c=" +
      json::parse(Call("GET", "/storage/v1/b/bucket/o/o").body).at("crc32c").get<std::string>() + "\r\n";
  EXPECT_EQ(Call("POST", target, std::string(100, 'o'), Header("inject-upload-data-error") + true_hash).status, 400);
}

TEST_F(InstructionHeaderTest, SkipsOtherRequests) {
  for (const char* instruction :
       {"return-broken-stream", "return-corrupted-data", "stall-always", "return-503-after-256K"}) {
    EXPECT_EQ(Call("GET", "/storage/v1/b/bucket/o/o", "", Header(instruction)).status, 200) << instruction;
    EXPECT_EQ(Call("GET", "/storage/v1/b/bucket", "", Header(instruction)).status, 200) << instruction;
  }
}

TEST_F(InstructionHeaderTest, RefusesUnknownInstructions) {
  const RawResponse response = Call("GET", "/storage/v1/b/bucket/o/o?alt=media", "", Header("return-nonsense"));
  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(response.body, HasSubstr("return-nonsense"));
  EXPECT_THAT(Call("GET", "/bucket/o", "", Header("return-nonsense")).body, HasSubstr("<Error>"));
}

}  // namespace
}  // namespace gcsflux::emulator
