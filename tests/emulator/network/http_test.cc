// HTTP/1.1 itself, on a raw socket: which requests clients may send.

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "emulator/support/raw_connection.h"
#include "gcsflux/emulator/gtest.h"

namespace gcsflux::emulator {
namespace {

class HttpTest : public EmulatorTest {
 protected:
  void SetUp() override {
    ASSERT_EQ(client_.Call("POST", "/storage/v1/b", "", R"({"name":"bucket"})").status, 200);
    ASSERT_EQ(client_.Call("POST", Upload("digits"), "", "0123456789").status, 200);
  }

  static std::string Upload(const std::string& name) {
    return "/upload/storage/v1/b/bucket/o?uploadType=media&name=" + name;
  }
  std::string Read(const std::string& name) {
    return client_.Call("GET", "/storage/v1/b/bucket/o/" + name + "?alt=media").body;
  }

  RawConnection client_{endpoint()};
};

constexpr auto kReadDigits = "/storage/v1/b/bucket/o/digits?alt=media";

TEST_F(HttpTest, ServesAClientBeside300IdleConnections) {
  std::vector<std::unique_ptr<RawConnection>> idle;
  for (int i = 0; i < 300; ++i) {
    idle.push_back(std::make_unique<RawConnection>(endpoint()));
    ASSERT_EQ(idle.back()->Call("GET", kReadDigits).status, 200);
  }
  RawConnection next(endpoint());
  EXPECT_EQ(next.Call("GET", kReadDigits).status, 200);
  for (const auto& connection : idle) EXPECT_EQ(connection->Call("GET", kReadDigits).body, "0123456789");
}

TEST_F(HttpTest, Accepts300Connections) {
  std::vector<std::unique_ptr<RawConnection>> connections;
  connections.reserve(300);
  for (int i = 0; i < 300; ++i) connections.push_back(std::make_unique<RawConnection>(endpoint()));
  for (const auto& connection : connections) ASSERT_EQ(connection->Call("GET", kReadDigits).status, 200);
}

TEST_F(HttpTest, ServesThousandsOfRequestsOnOneConnection) {
  for (int i = 0; i < 2000; ++i) ASSERT_EQ(client_.Call("GET", kReadDigits).body, "0123456789");
}

TEST_F(HttpTest, AnswersPipelinedRequestsInOrder) {
  const std::string begin = std::string("GET ") + kReadDigits + " HTTP/1.1\r\nHost: h\r\nRange: bytes=";
  client_.Send(begin + "0-0\r\n\r\n" + begin + "1-1\r\n\r\n" + begin + "2-2\r\n\r\n");
  EXPECT_EQ(client_.Receive()->body, "0");
  EXPECT_EQ(client_.Receive()->body, "1");
  EXPECT_EQ(client_.Receive()->body, "2");
}

TEST_F(HttpTest, ReadsAHeadByteByByte) {
  const std::string request = std::string("GET ") + kReadDigits + " HTTP/1.1\r\nHost: h\r\n\r\n";
  for (const char c : request) client_.Send(std::string(1, c));
  EXPECT_EQ(client_.Receive()->body, "0123456789");
}

TEST_F(HttpTest, ClosesOnRequest) {
  EXPECT_EQ(client_.Call("GET", kReadDigits, "Connection: close\r\n").body, "0123456789");
  EXPECT_TRUE(client_.IsClosedByServer());
}

TEST_F(HttpTest, ClosesAfterAnHttp10Request) {
  client_.Send(std::string("GET ") + kReadDigits + " HTTP/1.0\r\n\r\n");
  EXPECT_EQ(client_.Receive()->body, "0123456789");
  EXPECT_TRUE(client_.IsClosedByServer());
}

TEST_F(HttpTest, AnswersHeadWithoutABody) {
  const RawResponse response = client_.Call("HEAD", kReadDigits);
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.Header("content-length"), "10");
  EXPECT_EQ(client_.Call("GET", kReadDigits).body, "0123456789");
}

TEST_F(HttpTest, AcceptsChunkedBodies) {
  client_.Send("POST " + Upload("chunked") +
               " HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
               "5\r\nhello\r\n1;extension=x\r\n \r\n00005\r\nworld\r\n0\r\nTrailer: x\r\n\r\n");
  EXPECT_EQ(client_.Receive()->status, 200);
  EXPECT_EQ(Read("chunked"), "hello world");
}

TEST_F(HttpTest, StoresNothingOfAMalformedChunkedBody) {
  for (const char* body : {"x\r\nhello\r\n0\r\n\r\n", "5\r\nhello world\r\n0\r\n\r\n", "-5\r\nhello\r\n0\r\n\r\n",
                           "fffffffffffffffff\r\nhello\r\n", "\r\n\r\n"}) {
    RawConnection connection(endpoint());
    connection.Send("POST " + Upload("malformed") + " HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n" +
                    body);
    connection.FinishSending();
    const std::optional<RawResponse> response = connection.Receive();
    ASSERT_TRUE(response) << body;
    EXPECT_EQ(response->status, 400) << body;
    EXPECT_TRUE(connection.IsClosedByServer()) << body;
  }
  EXPECT_EQ(client_.Call("GET", "/storage/v1/b/bucket/o/malformed").status, 404);
}

TEST_F(HttpTest, StoresNothingOfATruncatedBody) {
  RawConnection connection(endpoint());
  connection.Send("POST " + Upload("short") + " HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nhello");
  connection.FinishSending();
  EXPECT_EQ(connection.Receive()->status, 400);
  EXPECT_EQ(client_.Call("GET", "/storage/v1/b/bucket/o/short").status, 404);
}

TEST_F(HttpTest, SendsContinueBeforeItReadsTheBody) {
  client_.Send("POST " + Upload("expected") +
               " HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
  EXPECT_EQ(client_.Receive()->status, 100);
  client_.Send("hello");
  EXPECT_EQ(client_.Receive()->status, 200);
  EXPECT_EQ(Read("expected"), "hello");
}

TEST_F(HttpTest, RefusesAnExpectedBodyWithoutWaitingForIt) {
  client_.Send(
      "POST /upload/storage/v1/b/none/o?uploadType=media&name=x HTTP/1.1\r\nHost: h\r\n"
      "Expect: 100-continue\r\nContent-Length: 5\r\n\r\n");
  EXPECT_EQ(client_.Receive()->status, 404);
  EXPECT_TRUE(client_.IsClosedByServer());
}

TEST_F(HttpTest, ReadsTheShortBodyOfARefusedRequest) {
  const std::string body(1 << 16, 'x');
  EXPECT_EQ(client_.Call("POST", "/upload/storage/v1/b/none/o?uploadType=media&name=x", "", body).status, 404);
  EXPECT_EQ(client_.Call("GET", "/no/such/path", "", body).status, 404);
  EXPECT_EQ(client_.Call("GET", kReadDigits).body, "0123456789");
}

TEST_F(HttpTest, TreatsAPostWithoutALengthAsEmpty) {
  client_.Send("POST " + Upload("empty") + " HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(client_.Receive()->status, 200);
  EXPECT_EQ(Read("empty"), "");
}

TEST_F(HttpTest, StoresGzippedBodiesUnchanged) {
  const std::string not_even_gzip = "\x1f\x8b no gzip";
  EXPECT_EQ(client_.Call("POST", Upload("encoded"), "Content-Encoding: gzip\r\n", not_even_gzip).status, 200);
  const RawResponse response =
      client_.Call("GET", "/storage/v1/b/bucket/o/encoded?alt=media", "Accept-Encoding: gzip\r\n");
  EXPECT_EQ(response.body, not_even_gzip);
  EXPECT_EQ(response.Header("content-encoding"), "gzip");
}

TEST_F(HttpTest, AcceptsFormsOfAnySize) {
  const std::string form = "a=" + std::string(100'000, 'x');
  const auto type = "Content-Type: application/x-www-form-urlencoded\r\n";
  EXPECT_EQ(client_.Call("POST", Upload("form"), type, form).status, 200);
  EXPECT_EQ(Read("form"), form);
}

TEST_F(HttpTest, DoesNotDecodeHeaderValues) {
  const auto type = "Content-Type: text/plain; note=100%41%2F\r\n";
  EXPECT_EQ(client_.Call("POST", Upload("typed"), type, "x").status, 200);
  EXPECT_EQ(client_.Call("GET", "/storage/v1/b/bucket/o/typed?alt=media").Header("content-type"),
            "text/plain; note=100%41%2F");
}

TEST_F(HttpTest, DoesNotCompressItsAnswers) {
  const RawResponse response =
      client_.Call("GET", "/storage/v1/b/bucket/o/digits", "Accept-Encoding: gzip, deflate, br\r\n");
  EXPECT_EQ(response.Header("content-encoding"), "");
  EXPECT_EQ(response.body.front(), '{');
}

TEST_F(HttpTest, IgnoresAMalformedRange) {
  for (const std::string& range : {std::string("bytes=x"), std::string("bytes=5-2"), std::string("lines=1-2"),
                                   std::string("bytes=0-1,4-5"), std::string("bytes=")}) {
    const RawResponse response = client_.Call("GET", kReadDigits, "Range: " + range + "\r\n");
    EXPECT_EQ(response.status, 200) << range;
    EXPECT_EQ(response.body, "0123456789") << range;
  }
}

TEST_F(HttpTest, SurvivesAnEndlessListOfRanges) {
  std::string ranges = "Range: bytes=0-0";
  while (ranges.size() < 8000) ranges += ",0-0";
  EXPECT_EQ(client_.Call("GET", kReadDigits, ranges + "\r\n").status, 200);
}

TEST_F(HttpTest, RefusesMalformedHeadsAsGcsDoes) {
  for (const std::string& head :
       {std::string("NONSENSE\r\n\r\n"), std::string("GET /\r\n\r\n"),
        std::string("BREW / HTTP/1.1\r\nHost: h\r\n\r\n"), std::string("GET / HTTP/3.0\r\nHost: h\r\n\r\n"),
        std::string("\0\0\0\r\n\r\n", 7), std::string("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n"),
        std::string("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1x\r\n\r\n"),
        std::string("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"),
        std::string("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"),
        std::string("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip\r\n\r\n"),
        "GET /" + std::string(40'000, 'a') + " HTTP/1.1\r\nHost: h\r\n\r\n"}) {
    RawConnection connection(endpoint());
    connection.Send(head);
    const std::optional<RawResponse> response = connection.Receive();
    ASSERT_TRUE(response) << head.substr(0, 60);
    EXPECT_TRUE(response->status == 400 || response->status == 414) << response->status << head.substr(0, 60);
    EXPECT_NE(response->body.find(R"("errors":[{)"), std::string::npos) << head.substr(0, 60) << response->body;
    EXPECT_TRUE(connection.IsClosedByServer()) << head.substr(0, 60);
  }
}

TEST_F(HttpTest, RefusesAFloodOfHeaders) {
  RawConnection connection(endpoint());
  std::string head = "GET / HTTP/1.1\r\n";
  while (head.size() < 100'000) head += "X-Header: value\r\n";
  connection.Send(head);
  const std::optional<RawResponse> response = connection.Receive();
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 431);
  EXPECT_NE(response->body.find(R"("code":431)"), std::string::npos);
}

TEST_F(HttpTest, NamesUnusualStatusesAsGcsDoes) {
  const RawResponse started = client_.Call("POST", "/upload/storage/v1/b/bucket/o?uploadType=resumable&name=x");
  const std::string location = started.Header("location");
  EXPECT_EQ(client_.Call("PUT", location, "Content-Range: bytes */*\r\n").status_line,
            "HTTP/1.1 308 Resume Incomplete");
  EXPECT_EQ(client_.Call("DELETE", location).status_line, "HTTP/1.1 499 Client Closed Request");
}

// A client that was told https:// must not wait for the emulator's patience to end: gcsfs asks so, by gRPC.
TEST_F(HttpTest, RefusesTlsAtOnce) {
  client_.Send(std::string("\x16\x03\x01\x02\x00\x01", 6));
  const auto response = client_.Receive();
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 400);
  EXPECT_NE(response->body.find("use http://"), std::string::npos) << response->body;
}

TEST(Emulator, StopsWithConnectionsInEveryState) {
  Emulator emulator;
  RawConnection idle(emulator.endpoint());
  ASSERT_EQ(idle.Call("GET", "/storage/v1/b").status, 200);
  RawConnection silent(emulator.endpoint());
  RawConnection in_head(emulator.endpoint());
  in_head.Send("GET / HT");
  RawConnection in_body(emulator.endpoint());
  in_body.Send("POST /storage/v1/b HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n");
  ASSERT_EQ(in_body.Receive()->status, 100);
  ASSERT_EQ(idle.Call("POST", "/storage/v1/b", "", R"({"name":"bucket"})").status, 200);
  ASSERT_EQ(idle.Call("POST", "/upload/storage/v1/b/bucket/o?uploadType=media&name=big", "", std::string(64 << 20, 'x'))
                .status,
            200);
  RawConnection not_reading(emulator.endpoint());
  not_reading.Send("GET /storage/v1/b/bucket/o/big?alt=media HTTP/1.1\r\nHost: h\r\n\r\n");

  emulator.Stop();
  EXPECT_TRUE(idle.IsClosedByServer());
  EXPECT_TRUE(silent.IsClosedByServer());
  EXPECT_FALSE(in_head.Receive());
  EXPECT_FALSE(not_reading.Receive());
  EXPECT_THROW(RawConnection{emulator.endpoint()}, std::system_error);
  emulator.Stop();
}

TEST(Emulator, StopsForConcurrentCallers) {
  Emulator emulator;
  RawConnection idle(emulator.endpoint());
  ASSERT_EQ(idle.Call("GET", "/storage/v1/b").status, 200);
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { emulator.Stop(); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(idle.IsClosedByServer());
}

TEST(Emulator, SharesNothingWithAnotherEmulator) {
  Emulator first;
  Emulator second;
  EXPECT_NE(first.endpoint(), second.endpoint());
  EXPECT_EQ(RawConnection(first.endpoint()).Call("POST", "/storage/v1/b", "", R"({"name":"bucket"})").status, 200);
  EXPECT_EQ(RawConnection(second.endpoint()).Call("GET", "/storage/v1/b/bucket").status, 404);
  first.Stop();
  EXPECT_EQ(RawConnection(second.endpoint()).Call("GET", "/storage/v1/b").status, 200);
}

TEST(Emulator, ThrowsIfTheAddressIsInUse) {
  Emulator emulator;
  const auto port =
      static_cast<std::uint16_t>(std::stoi(emulator.endpoint().substr(emulator.endpoint().rfind(':') + 1)));
  EXPECT_THROW(Emulator({.port = port}), std::system_error);
  EXPECT_THROW(Emulator({.host = "no.such.host.invalid"}), std::system_error);
}

}  // namespace
}  // namespace gcsflux::emulator
