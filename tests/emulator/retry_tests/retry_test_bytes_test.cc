// Instructions that count bytes: before, at and after each boundary.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "emulator/support/retry_test_fixture.h"
#include "gcsflux/emulator/journal_queries.h"
#include "support/concatenated.h"

namespace gcsflux::emulator {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// The head of an answer and the part of its body that arrived.
struct PartialAnswer {
  std::string head = {};
  std::string body = {};
};

class RetryTestBytesTest : public RetryTestApiTest {
 protected:
  PartialAnswer Download(const std::string& target, const std::string& headers = "") {
    RawConnection connection(endpoint());
    connection.Send("GET " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nx-retry-test-id: " + id_ +
                    "\r\n" + headers + "\r\n");
    const std::string all = connection.ReceiveAll();
    const std::size_t end = all.find("\r\n\r\n") + 4;
    return {all.substr(0, end), all.substr(end)};
  }

  // A session for an object of that name, and its chunks.
  std::string Start(const std::string& name) {
    const RawResponse start = Call("POST", "/upload/storage/v1/b/bucket/o?uploadType=resumable&name=" + name);
    const std::string location = start.Header("location");
    return location.substr(location.find("/upload/"));
  }
  static std::string Range(std::size_t first, std::size_t size, const std::string& total) {
    return "Content-Range: bytes " + std::to_string(first) + "-" + std::to_string(first + size - 1) + "/" + total +
           "\r\n";
  }
  std::string PersistedOf(const std::string& session) {
    return Call("PUT", session, "", "Content-Range: bytes */*\r\n").Header("range");
  }
};

TEST_F(RetryTestBytesTest, DownloadBreaksAfterTheGivenBytes) {
  Store("big", std::string(2 * k256Kib, 'b'));
  struct Case {
    std::string range;
    std::string status;
    std::size_t whole;  // bytes that the answer announces
    std::size_t got;
  };
  const std::size_t size = 2 * k256Kib;
  const std::vector<Case> cases = {
      {"", "200", size, k256Kib},
      {"bytes=1000-", "206", size - 1000, k256Kib},
      {"bytes=0-" + std::to_string(k256Kib), "206", k256Kib + 1, k256Kib},          // just longer
      {"bytes=0-" + std::to_string(k256Kib - 1), "206", k256Kib, k256Kib},          // just as long: nothing to cut
      {"bytes=0-" + std::to_string(k256Kib - 2), "206", k256Kib - 1, k256Kib - 1},  // shorter
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(test.range);
    Make("storage.objects.get", {"return-broken-stream-after-256K"});
    const PartialAnswer answer = Download("/bucket/big", test.range.empty() ? "" : "Range: " + test.range + "\r\n");
    EXPECT_THAT(answer.head, HasSubstr("HTTP/1.1 " + test.status));
    EXPECT_THAT(answer.head, HasSubstr("Content-Length: " + std::to_string(test.whole)));
    EXPECT_EQ(answer.body.size(), test.got);
    EXPECT_EQ(IsCompleted(), test.got < test.whole);
  }
}

TEST_F(RetryTestBytesTest, UploadInOneRequestFailsFromTheGivenByte) {
  for (const std::string type : {"media", "multipart", "xml"}) {
    for (const std::size_t size : {k256Kib - 1, k256Kib, k256Kib + 1}) {
      SCOPED_TRACE(type + " " + std::to_string(size));
      Make("storage.objects.insert", {"return-503-after-256K"});
      const std::string name = type + std::to_string(size);
      const std::string bytes(size, 'u');
      std::optional<RawResponse> response;
      if (type == "media")
        response = Send("POST", "/upload/storage/v1/b/bucket/o?uploadType=media&name=" + name, bytes);
      if (type == "xml") response = Send("PUT", "/bucket/" + name, bytes);
      if (type == "multipart") {
        response =
            Send("POST", "/upload/storage/v1/b/bucket/o?uploadType=multipart",
                 testing::Concatenated({"--b\r\n\r\n{\"name\":\"", name, "\"}\r\n--b\r\n\r\n", bytes, "\r\n--b--"}),
                 "Content-Type: multipart/related; boundary=b\r\n");
      }
      ASSERT_TRUE(response);
      const bool fails = size >= k256Kib;
      EXPECT_EQ(response->status, fails ? 503 : 200);
      EXPECT_EQ(IsCompleted(), fails);
      EXPECT_EQ(Call("GET", "/storage/v1/b/bucket/o/" + name).status, fails ? 404 : 200) << "committed";
    }
  }
}

TEST_F(RetryTestBytesTest, ChunkFailsAtTheByteAndKeepsTheBytesBefore) {
  struct Case {
    std::string instruction;
    std::size_t before;  // chunks of 256 KiB that have arrived already
    std::size_t chunk;
    int status;
    std::string persisted;
  };
  const std::vector<Case> cases = {
      {"return-503-after-256K", 0, k256Kib, 503, "bytes=0-262143"},
      {"return-503-after-256K", 0, 2 * k256Kib, 503, "bytes=0-262143"},
      {"return-503-after-512K", 0, k256Kib, 308, "bytes=0-262143"},      // ends before
      {"return-503-after-512K", 1, k256Kib, 503, "bytes=0-524287"},      // ends there
      {"return-408-after-384K", 0, 2 * k256Kib, 408, "bytes=0-393215"},  // in its midst
      {"return-503-after-256K", 2, k256Kib, 503, "bytes=0-524287"},      // begins after it
  };
  int number = 0;
  for (const Case& test : cases) {
    SCOPED_TRACE(test.instruction + " before " + std::to_string(test.before) + " chunk " + std::to_string(test.chunk));
    const std::string session = Start("chunked" + std::to_string(++number));
    for (std::size_t i = 0; i < test.before; ++i) {
      ASSERT_EQ(Call("PUT", session, std::string(k256Kib, 'c'), Range(i * k256Kib, k256Kib, "*")).status, 308);
    }
    Make("storage.objects.insert", {test.instruction});
    const auto response =
        Send("PUT", session, std::string(test.chunk, 'c'), Range(test.before * k256Kib, test.chunk, "*"));
    ASSERT_TRUE(response);
    EXPECT_EQ(response->status, test.status);
    EXPECT_EQ(IsCompleted(), test.status != 308);
    EXPECT_EQ(PersistedOf(session), test.persisted);
  }
}

TEST_F(RetryTestBytesTest, FailedFinalChunkCommitsNothing) {
  const std::string session = Start("final");
  Make("storage.objects.insert", {"return-503-after-256K"});
  const std::string bytes(k256Kib + 100, 'f');
  EXPECT_EQ(Send("PUT", session, bytes, Range(0, bytes.size(), std::to_string(bytes.size())))->status, 503);
  EXPECT_EQ(PersistedOf(session), "bytes=0-262143");
  EXPECT_EQ(Call("GET", "/storage/v1/b/bucket/o/final").status, 404);
  EXPECT_EQ(Send("PUT", session, bytes.substr(k256Kib), Range(k256Kib, 100, std::to_string(bytes.size())))->status,
            200);
  EXPECT_EQ(json::parse(Call("GET", "/storage/v1/b/bucket/o/final").body).at("size"), std::to_string(bytes.size()));
}

TEST_F(RetryTestBytesTest, StartAndStatusQueryMatchNothing) {
  Make("storage.objects.insert", {"return-503-after-0K"});
  EXPECT_EQ(Send("POST", "/upload/storage/v1/b/bucket/o?uploadType=resumable&name=new")->status, 200);
  EXPECT_EQ(Send("PUT", Start("asked"), "", "Content-Range: bytes */*\r\n")->status, 308);
  EXPECT_FALSE(IsCompleted());
}

TEST_F(RetryTestBytesTest, CompletionsAnswerBreaks) {
  for (const std::size_t bytes : {0, 1, 100}) {
    SCOPED_TRACE(bytes);
    const std::string name = "broken" + std::to_string(bytes);
    const std::string session = Start(name);
    Make("storage.objects.insert", {"return-broken-stream-final-chunk-after-" + std::to_string(bytes) + "B"});
    EXPECT_EQ(Send("PUT", session, std::string(k256Kib, 'b'), Range(0, k256Kib, "*"))->status, 308)
        << "it does not complete the upload";
    EXPECT_FALSE(IsCompleted());
    RawConnection connection(endpoint());
    connection.Send("PUT " + session + " HTTP/1.1\r\nHost: localhost\r\nx-retry-test-id: " + id_ +
                    "\r\nContent-Length: 1\r\n" + Range(k256Kib, 1, std::to_string(k256Kib + 1)) + "\r\nb");
    const std::string all = connection.ReceiveAll();
    const std::size_t head = all.find("\r\n\r\n") + 4;
    EXPECT_THAT(all, ::testing::StartsWith("HTTP/1.1 200"));
    EXPECT_EQ(all.size() - head, bytes);
    EXPECT_TRUE(IsCompleted());
    EXPECT_THAT(FindCommits(emulator().journal(), "bucket", name), SizeIs(1));
    EXPECT_EQ(Call("GET", "/storage/v1/b/bucket/o/" + name).status, 200) << "it was committed";
  }
}

TEST_F(RetryTestBytesTest, DownloadPausesOnce) {
  Store("big", std::string(2 * k256Kib, 'b'));
  Make("storage.objects.get", {"stall-for-10s-after-256K"});
  emulator().clock().Freeze();
  RawConnection connection(endpoint());
  connection.Send("GET /bucket/big HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nx-retry-test-id: " + id_ +
                  "\r\n\r\n");
  emulator().clock().AwaitWaiters(1);
  EXPECT_EQ(emulator().journal().back().bytes_out, k256Kib);
  emulator().clock().Advance(std::chrono::seconds(10));
  const std::string all = connection.ReceiveAll();
  EXPECT_EQ(all.size() - all.find("\r\n\r\n") - 4, 2 * k256Kib);
  EXPECT_TRUE(IsCompleted());
}

TEST_F(RetryTestBytesTest, ListPausesOnce) {
  Make("storage.objects.list", {"stall-for-10s-after-0K"});
  emulator().clock().Freeze();
  RawConnection connection(endpoint());
  connection.Send("GET /storage/v1/b/bucket/o HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nx-retry-test-id: " +
                  id_ + "\r\n\r\n");
  emulator().clock().AwaitWaiters(1);
  emulator().clock().Advance(std::chrono::seconds(10));
  EXPECT_THAT(connection.ReceiveAll(), ::testing::HasSubstr("\"name\":\"o\""));
  EXPECT_TRUE(IsCompleted());
}

TEST_F(RetryTestBytesTest, SomeBucketsAreUnreachable) {
  Make("storage.buckets.list", {"return-unreachable-buckets-projects/_/buckets/bucket,gone"});
  const auto page = nlohmann::json::parse(Send("GET", "/storage/v1/b?project=p&returnPartialSuccess=true")->body);
  ASSERT_EQ(page.at("items").size(), 1U);
  EXPECT_EQ(page.at("items")[0].at("name"), "empty-bucket");
  EXPECT_EQ(page.at("unreachable"), nlohmann::json({"projects/_/buckets/bucket", "projects/_/buckets/gone"}));
  EXPECT_TRUE(IsCompleted());
  EXPECT_EQ(nlohmann::json::parse(Send("GET", "/storage/v1/b?project=p")->body).at("items").size(), 2U);
}

TEST_F(RetryTestBytesTest, ShorterDownloadDoesNotPause) {
  Store("small", std::string(k256Kib - 1, 's'));
  Make("storage.objects.get", {"stall-for-10s-after-256K"});
  emulator().clock().Freeze();
  EXPECT_EQ(Download("/bucket/small").body.size(), k256Kib - 1);
  EXPECT_FALSE(IsCompleted());
}

TEST_F(RetryTestBytesTest, UploadPausesBeforeItIsStored) {
  struct Case {
    std::size_t before;
    std::size_t size;
    bool pauses;
  };
  for (const Case& test : {Case{0, k256Kib, false}, {1, k256Kib, true}, {0, 2 * k256Kib, true}, {2, k256Kib, false}}) {
    SCOPED_TRACE(std::to_string(test.before) + " " + std::to_string(test.size));
    const std::string session = Start("stalled" + std::to_string(test.before) + std::to_string(test.size));
    for (std::size_t i = 0; i < test.before; ++i) {
      ASSERT_EQ(Call("PUT", session, std::string(k256Kib, 'c'), Range(i * k256Kib, k256Kib, "*")).status, 308);
    }
    const std::string before = PersistedOf(session);
    Make("storage.objects.insert", {"stall-for-10s-after-512K"});
    emulator().clock().Freeze();
    RawConnection connection(endpoint());
    connection.Send("PUT " + session + " HTTP/1.1\r\nHost: localhost\r\nx-retry-test-id: " + id_ +
                    "\r\nContent-Length: " + std::to_string(test.size) + "\r\n" +
                    Range(test.before * k256Kib, test.size, "*") + "\r\n" + std::string(test.size, 'c'));
    if (test.pauses) {
      emulator().clock().AwaitWaiters(1);
      EXPECT_EQ(PersistedOf(session), before);
      emulator().clock().Advance(std::chrono::seconds(10));
    }
    EXPECT_EQ(connection.Receive()->status, 308);
    EXPECT_EQ(IsCompleted(), test.pauses);
    EXPECT_EQ(PersistedOf(session), "bytes=0-" + std::to_string(test.before * k256Kib + test.size - 1));
  }
}

}  // namespace
}  // namespace gcsflux::emulator
