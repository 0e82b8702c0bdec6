// Where a request ends. A head that two readers might understand differently is refused, and nothing after it is run.

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "emulator/support/raw_connection.h"
#include "emulator/support/targets.h"
#include "gcsflux/emulator/gtest.h"
#include "network/head_faults.h"
#include "support/concatenated.h"
#include "support/gzip.h"

namespace gcsflux::emulator {
namespace {

class FramingTest : public EmulatorTest {
 protected:
  void SetUp() override { ASSERT_EQ(client_.Call("POST", "/storage/v1/b", "", R"({"name":"bucket"})").status, 200); }
  // A complete answer with that status, after which the connection ends.
  static void ExpectRefused(RawConnection& connection, const std::string& shown) {
    const std::optional<RawResponse> response = connection.Receive();
    ASSERT_TRUE(response) << shown;
    EXPECT_EQ(response->status, 400) << shown;
    EXPECT_EQ(response->Header("connection"), "close") << shown;
    EXPECT_NE(response->body.find(R"("code":400)"), std::string::npos) << shown << response->body;
    EXPECT_TRUE(connection.IsClosedByServer()) << shown;
  }

  RawConnection client_{endpoint()};
};

TEST_F(FramingTest, ABodyIsNeverRunAsARequest) {
  const std::string smuggled = std::string("POST ") + kUpload + "smuggled HTTP/1.1\r\nHost: h\r\n\r\n";
  const std::string length = std::to_string(smuggled.size());
  const std::vector<std::string> framings = {
      "Content-Length : " + length + "\r\n",
      "Content-Length\t: " + length + "\r\n",
      "Content-Length:\r\n",
      "Content-Length: \t\r\n",
      "Content-Length:\r\n " + length + "\r\n",
      "X: y\r\n Content-Length: " + length + "\r\n",
      "X: y\r\n\tContent-Length: " + length + "\r\n",
      " Content-Length: " + length + "\r\n",
      "Transfer-Encoding : chunked\r\n",
      "Transfer-Encoding:\r\n",
      "Transfer-Encoding:\r\n chunked\r\n",
      "Transfer-Encoding: chunked, chunked\r\n",
      "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
      "Transfer-Encoding: xchunked\r\n",
      "Content-Length: " + length + "\r\nContent-Length: " + length + "\r\n",
      "Content-Length: +" + length + "\r\n",
      "Content-Length: 0x10\r\n",
      "X: y\nContent-Length: " + length + "\r\n",
      "X: y\rContent-Length: " + length + "\r\n",
      "Content-Length " + length + "\r\n",
      ": " + length + "\r\n",
  };
  for (const std::string& framing : framings) {
    RawConnection connection(endpoint());
    connection.Send(
        testing::Concatenated({"POST ", kUpload, "outer HTTP/1.1\r\nHost: h\r\n", framing, "\r\n", smuggled}));
    ExpectRefused(connection, framing);
    EXPECT_EQ(client_.Call("GET", std::string(kObject) + "smuggled").status, 404) << framing;
    EXPECT_EQ(client_.Call("GET", std::string(kObject) + "outer").status, 404) << framing;
  }
}

TEST_F(FramingTest, ABrokenHostIsRefused) {
  for (const char* hosts : {"", "Host:\r\n", "Host: a b\r\n", "Host: a/b\r\n", "Host: a\r\nHost: b\r\n",
                            "Host: a\r\nHost: a\r\n", "Host: a@b\r\n", "Host: a:x\r\n", "Host: a:65536\r\n",
                            "Host: :80\r\n", "Host: [::1\r\n", "Host: [::1]x\r\n", "Host: a?b\r\n", "Host: <a>\r\n"}) {
    RawConnection connection(endpoint());
    connection.Send(std::string("GET /storage/v1/b/bucket HTTP/1.1\r\n") + hosts + "\r\n");
    ExpectRefused(connection, hosts);
  }
  for (const std::string host : {"a", "a:1", "a:", "[::1]:80", "[::1]", "127.0.0.1:65535", "a-b_c.example"}) {
    RawConnection connection(endpoint());
    connection.Send("GET /storage/v1/b/bucket HTTP/1.1\r\nhOST:" + host + "\r\n\r\n");
    EXPECT_EQ(connection.Receive()->status, 200) << host;
  }
  client_.Send("GET /storage/v1/b/bucket HTTP/1.0\r\n\r\n");
  EXPECT_EQ(client_.Receive()->status, 200);
}

TEST_F(FramingTest, CodingsAndExpectationsAreInAnyCase) {
  for (const char* coding : {"chunked", "Chunked", "CHUNKED"}) {
    client_.Send(std::string("POST ") + kUpload + coding + " HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: " + coding +
                 "\r\n\r\n5\r\nhello\r\n0\r\n\r\n");
    EXPECT_EQ(client_.Receive()->status, 200) << coding;
    EXPECT_EQ(client_.Call("GET", std::string(kObject) + coding + "?alt=media").body, "hello");
  }
  for (const char* expected : {"100-continue", "100-Continue", "100-CONTINUE"}) {
    client_.Send(std::string("POST ") + kUpload + "x HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nExpect: " + expected +
                 "\r\n\r\n");
    ASSERT_EQ(client_.Receive()->status, 100) << expected;
    client_.Send("hello");
    EXPECT_EQ(client_.Receive()->status, 200) << expected;
  }
}

TEST_F(FramingTest, ABodyOfUnknownLengthGoesToHttp10WithoutChunks) {
  const std::string text(100'000, 'x');
  const std::string gzipped = gcsflux::testing::Gzip(text);
  ASSERT_EQ(client_.Call("POST", std::string(kUpload) + "o&contentEncoding=gzip", "", gzipped).status, 200);
  for (const char* wish : {"", "Connection: keep-alive\r\n"}) {
    RawConnection connection(endpoint());
    connection.Send(std::string("GET ") + kObject + "o?alt=media HTTP/1.0\r\n" + wish + "\r\n");
    const std::string answer = connection.ReceiveAll();
    const std::size_t body = answer.find("\r\n\r\n") + 4;
    EXPECT_EQ(answer.substr(0, body).find("Transfer-Encoding"), std::string::npos) << answer.substr(0, body);
    EXPECT_EQ(answer.substr(body).size(), text.size());
    EXPECT_TRUE(answer.substr(body) == text);
  }
  const RawResponse chunked = client_.Call("GET", std::string(kObject) + "o?alt=media");
  EXPECT_EQ(chunked.Header("transfer-encoding"), "chunked");
  EXPECT_TRUE(chunked.body == text);
}

TEST(HeadFaults, WhatIsRightHasNone) {
  EXPECT_EQ(FindHeadFault("GET / HTTP/1.1\r\nHost: h\r\nX:\r\nY: a: b \r\nContent-Length: 5\r\n\r\n"), std::nullopt);
  EXPECT_EQ(FindHeadFault("GET / HTTP/1.0\r\n\r\n"), std::nullopt);
}

TEST(HeadFaults, AreNamed) {
  const std::string begin = "GET / HTTP/1.1\r\nHost: h\r\n";
  EXPECT_EQ(FindHeadFault(begin + " x\r\n\r\n"), "a header line continues the one before it");
  EXPECT_EQ(FindHeadFault(begin + "a b: c\r\n\r\n"), "a header field has no name");
  EXPECT_EQ(FindHeadFault(begin + "a\r\n\r\n"), "a header field has no name");
  EXPECT_EQ(FindHeadFault(begin + std::string("a: \0b\r\n\r\n", 9)), "a line does not end in CRLF");
  EXPECT_EQ(FindHeadFault(begin + "content-LENGTH:\t\r\n\r\n"), "the Content-Length is empty");
  EXPECT_EQ(FindHeadFault(begin + "Host: h\r\n\r\n"), "the Host is not valid");
  EXPECT_EQ(FindHeadFault("GET / HTTP/1.1\r\n\r\n"), "the Host is missing");
  for (const char* cut : {"", "GET", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: h\r"}) {
    EXPECT_EQ(FindHeadFault(cut), "a line does not end in CRLF") << cut;
  }
}

}  // namespace
}  // namespace gcsflux::emulator
