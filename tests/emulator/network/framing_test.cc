// Where a request ends. A head that two readers might understand differently is refused, and nothing after it is run.

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/support/raw_connection.h"
#include "emulator/support/targets.h"
#include "gcsflux/emulator/gtest.h"
#include "network/request_head.h"
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

TEST_F(FramingTest, BodyIsNeverReadAsARequest) {
  const std::string smuggled = std::string("POST ") + kUploadTarget + "smuggled HTTP/1.1\r\nHost: h\r\n\r\n";
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
        testing::Concatenated({"POST ", kUploadTarget, "outer HTTP/1.1\r\nHost: h\r\n", framing, "\r\n", smuggled}));
    ExpectRefused(connection, framing);
    EXPECT_EQ(client_.Call("GET", std::string(kObjectTarget) + "smuggled").status, 404) << framing;
    EXPECT_EQ(client_.Call("GET", std::string(kObjectTarget) + "outer").status, 404) << framing;
  }
}

TEST_F(FramingTest, BrokenHostIsRefused) {
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

TEST_F(FramingTest, CodingsAndExpectationsIgnoreCase) {
  for (const char* coding : {"chunked", "Chunked", "CHUNKED"}) {
    client_.Send(std::string("POST ") + kUploadTarget + coding +
                 " HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: " + coding + "\r\n\r\n5\r\nhello\r\n0\r\n\r\n");
    EXPECT_EQ(client_.Receive()->status, 200) << coding;
    EXPECT_EQ(client_.Call("GET", std::string(kObjectTarget) + coding + "?alt=media").body, "hello");
  }
  for (const char* expected : {"100-continue", "100-Continue", "100-CONTINUE"}) {
    client_.Send(std::string("POST ") + kUploadTarget +
                 "x HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nExpect: " + expected + "\r\n\r\n");
    ASSERT_EQ(client_.Receive()->status, 100) << expected;
    client_.Send("hello");
    EXPECT_EQ(client_.Receive()->status, 200) << expected;
  }
}

TEST_F(FramingTest, Http10AnswerOfUnknownLengthHasNoChunks) {
  const std::string text(100'000, 'x');
  const std::string gzipped = gcsflux::testing::Gzip(text);
  ASSERT_EQ(client_.Call("POST", std::string(kUploadTarget) + "o&contentEncoding=gzip", "", gzipped).status, 200);
  for (const char* wish : {"", "Connection: keep-alive\r\n"}) {
    RawConnection connection(endpoint());
    connection.Send(std::string("GET ") + kObjectTarget + "o?alt=media HTTP/1.0\r\n" + wish + "\r\n");
    const std::string answer = connection.ReceiveAll();
    const std::size_t body = answer.find("\r\n\r\n") + 4;
    EXPECT_EQ(answer.substr(0, body).find("Transfer-Encoding"), std::string::npos) << answer.substr(0, body);
    EXPECT_EQ(answer.substr(body).size(), text.size());
    EXPECT_TRUE(answer.substr(body) == text);
  }
  const RawResponse chunked = client_.Call("GET", std::string(kObjectTarget) + "o?alt=media");
  EXPECT_EQ(chunked.Header("transfer-encoding"), "chunked");
  EXPECT_TRUE(chunked.body == text);
}

TEST_F(FramingTest, OriginInTheTargetReplacesTheHost) {
  client_.Send("PUT http://bucket.storage.googleapis.com/new HTTP/1.1\r\nHost: other\r\nContent-Length: 1\r\n\r\nx");
  EXPECT_EQ(client_.Receive()->status, 200);
  EXPECT_EQ(client_.Call("GET", std::string(kObjectTarget) + "new?alt=media").body, "x");
}

TEST_F(FramingTest, TargetWithAFragmentReachesNoObject) {
  ASSERT_EQ(client_.Call("POST", std::string(kUploadTarget) + "kept", "", "bytes").status, 200);
  for (const std::string target : {"/bucket/kept#1", "/storage/v1/b/bucket/o/kept#1"}) {
    RawConnection connection(endpoint());
    connection.Send("DELETE " + target + " HTTP/1.1\r\nHost: h\r\n\r\n");
    ExpectRefused(connection, target);
  }
  EXPECT_EQ(client_.Call("GET", std::string(kObjectTarget) + "kept?alt=media").body, "bytes");
  ASSERT_EQ(client_.Call("POST", std::string(kUploadTarget) + "kept%231", "", "other").status, 200);
  EXPECT_EQ(client_.Call("DELETE", "/bucket/kept%231").status, 204);
  EXPECT_EQ(client_.Call("GET", std::string(kObjectTarget) + "kept?alt=media").body, "bytes");
}

// If the emulator took this field for a Range, it would answer 206.
TEST_F(FramingTest, SimilarFieldNamesAreDistinguished) {
  ASSERT_EQ(client_.Call("POST", std::string(kUploadTarget) + "o", "", "bytes").status, 200);
  for (const std::string name : {"x-shielded-range", "X-Shielded-Range", "x-range", "REMOTE_ADDR"}) {
    const RawResponse answer =
        client_.Call("GET", std::string(kObjectTarget) + "o?alt=media", name + ": bytes=0-1\r\n");
    EXPECT_EQ(answer.status, 200) << name;
    EXPECT_EQ(answer.body, "bytes") << name;
  }
}

TEST_F(FramingTest, EmptyConditionIsNotIgnored) {
  EXPECT_EQ(client_.Call("PUT", "/bucket/o", "x-goog-if-generation-match:\r\n", "bytes").status, 400);
  EXPECT_EQ(client_.Call("GET", std::string(kObjectTarget) + "o").status, 404);
}

TEST_F(FramingTest, MetadataWithALineEndInjectsNoHeader) {
  const std::string metadata = R"({"contentDisposition": "a\r\nX-Injected: 1", "contentLanguage": "b\nX-Injected: 1"})";
  ASSERT_EQ(client_.Call("POST", std::string(kUploadTarget) + "o", "", "bytes").status, 200);
  client_.Call("PATCH", std::string(kObjectTarget) + "o", "Content-Type: application/json\r\n", metadata);
  const RawResponse answer = client_.Call("GET", std::string(kObjectTarget) + "o?alt=media");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.Header("x-injected"), "");
}

constexpr std::string_view kBegin = "GET / HTTP/1.1\r\nHost: h\r\n";

TEST(RequestHead, IsReadUnchanged) {
  const auto head = ParseRequestHead(
      "GET /a%2Fb?x=1?2&y=? HTTP/1.1\r\nHost: h\r\nrAnGe: bytes=0-1\r\nX-Meta: 100%41 \r\nX-Empty:\r\nY: a: b\r\n\r\n");
  ASSERT_TRUE(head) << head.error().message;
  EXPECT_EQ(head->request.method, "GET");
  EXPECT_EQ(head->request.target, "/a%2Fb?x=1?2&y=?");
  const std::vector<std::pair<std::string, std::string>> fields = {
      {"Host", "h"}, {"rAnGe", "bytes=0-1"}, {"X-Meta", "100%41"}, {"X-Empty", ""}, {"Y", "a: b"}};
  EXPECT_EQ(head->request.headers.fields(), fields);
  EXPECT_FALSE(head->closes);
}

TEST(RequestHead, AcceptsLongTargetsAndFields) {
  const std::string target = "/a?b=" + std::string(30'000, 'c');
  const std::string value(30'000, 'v');
  const auto head = ParseRequestHead("GET " + target + " HTTP/1.1\r\nHost: h\r\nX: " + value + "\r\n\r\n");
  ASSERT_TRUE(head);
  EXPECT_EQ(head->request.target, target);
  EXPECT_EQ(*head->request.headers.Find("x"), value);
  const auto longer = ParseRequestHead("GET /" + std::string(40'000, 'c') + " HTTP/1.1\r\nHost: h\r\n\r\n");
  ASSERT_FALSE(longer);
  EXPECT_EQ(longer.error().status, 414);
}

TEST(RequestHead, TellsWhetherTheConnectionEnds) {
  struct Case {
    std::string head;
    bool closes;
  };
  for (const auto& [text, closes] :
       {Case{"GET / HTTP/1.1\r\nHost: h\r\nConnection: Close\r\n\r\n", true},
        Case{"GET / HTTP/1.1\r\nHost: h\r\nConnection: te, close\r\n\r\n", true},
        Case{"GET / HTTP/1.1\r\nHost: h\r\nConnection: closed\r\n\r\n", false}, Case{"GET / HTTP/1.0\r\n\r\n", true},
        Case{"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", false}}) {
    const auto head = ParseRequestHead(text);
    ASSERT_TRUE(head) << text;
    EXPECT_EQ(head->closes, closes) << text;
  }
}

TEST(RequestHead, IsRefusedIfAmbiguous) {
  struct Case {
    std::string head;
    std::string why;
  };
  const std::string begin(kBegin);
  std::vector<Case> cases = {
      {begin + " x\r\n\r\n", "a header line continues the one before it"},
      {begin + "a b: c\r\n\r\n", "a header field has no name"},
      {begin + "a\r\n\r\n", "a header field has no name"},
      {begin + std::string("a: \0b\r\n\r\n", 9), "a line does not end in CRLF"},
      {begin + "Host: h\r\n\r\n", "the Host is not valid"},
      {"GET / HTTP/1.1\r\n\r\n", "the Host is missing"},
      {"GET http://a@b/ HTTP/1.1\r\nHost: h\r\n\r\n", "the target's host is not valid"},
      {"GET http:///b HTTP/1.1\r\nHost: h\r\n\r\n", "the target's host is not valid"},
      {"GET /  HTTP/1.1\r\nHost: h\r\n\r\n", "the first line is not METHOD TARGET HTTP/1.1"},
      {"GET / HTTP/1.10\r\nHost: h\r\n\r\n", "the first line is not METHOD TARGET HTTP/1.1"},
      {"get / HTTP/1.1\r\nHost: h\r\n\r\n", "the method is unknown"},
  };
  for (const char* cut : {"", "GET", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: h\r"}) {
    cases.push_back({cut, "a line does not end in CRLF"});
  }
  for (const char* target : {"/a#b", "/a?b#c", "#", "/a\tb", "/a\x7f"}) {
    cases.push_back({std::string("GET ") + target + " HTTP/1.1\r\nHost: h\r\n\r\n",
                     "the target has a character that must be percent-encoded"});
  }
  for (const char* target : {"*", "a", "h:80", "?a", "HTTP://h/"}) {
    cases.push_back({std::string("GET ") + target + " HTTP/1.1\r\nHost: h\r\n\r\n", "the target is not a path"});
  }
  for (const auto& [text, why] : cases) {
    const auto head = ParseRequestHead(text);
    ASSERT_FALSE(head) << text;
    EXPECT_EQ(head.error().status, 400) << text;
    EXPECT_EQ(head.error().message, "The request's head is malformed: " + why + ".") << text;
  }
}

}  // namespace
}  // namespace gcsflux::emulator
