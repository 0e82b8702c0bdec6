// Uploads over HTTP: their checksums, and every state of a resumable session.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "emulator/support/raw_connection.h"
#include "gcsflux/emulator/gtest.h"

namespace gcsflux::emulator {
namespace {

using nlohmann::json;

constexpr std::size_t kUnit = std::size_t{256} << 10;

class UploadTest : public EmulatorTest {
 protected:
  void SetUp() override { ASSERT_EQ(client_.Call("POST", "/storage/v1/b", "", R"({"name":"bucket"})").status, 200); }

  // The session's URI for an object "o".
  std::string Start(const std::string& parameters = "", const std::string& headers = "", const std::string& body = "") {
    const RawResponse response =
        client_.Call("POST", "/upload/storage/v1/b/bucket/o?uploadType=resumable&name=o" + parameters, headers, body);
    EXPECT_EQ(response.status, 200) << response.body;
    EXPECT_EQ(response.body, "");
    return response.Header("location");
  }
  RawResponse Put(const std::string& session, const std::string& content_range, const std::string& body = "",
                  const std::string& headers = "") {
    return client_.Call("PUT", session, headers + "Content-Range: bytes " + content_range + "\r\n", body);
  }
  RawResponse Multipart(const std::string& metadata, const std::string& media, const std::string& headers = "") {
    return client_.Call("POST", "/upload/storage/v1/b/bucket/o?uploadType=multipart",
                        headers + "Content-Type: multipart/related; boundary=xyz\r\n",
                        "--xyz\r\nContent-Type: application/json\r\n\r\n" + metadata +
                            "\r\n--xyz\r\nContent-Type: text/plain\r\n\r\n" + media + "\r\n--xyz--\r\n");
  }
  RawResponse GetObject() { return client_.Call("GET", "/storage/v1/b/bucket/o/o"); }
  std::string Read() { return client_.Call("GET", "/storage/v1/b/bucket/o/o?alt=media").body; }

  RawConnection client_{endpoint()};
};

TEST_F(UploadTest, AcceptsMetadataWithTheMedia) {
  const RawResponse response = Multipart(
      R"({"name":"o","metadata":{"k":"v"},"cacheControl":"c","contentDisposition":"d","contentLanguage":"l"})",
      "media");
  ASSERT_EQ(response.status, 200) << response.body;
  const json object = json::parse(response.body);
  EXPECT_EQ(object.at("contentType"), "text/plain");
  EXPECT_EQ(object.at("metadata").at("k"), "v");
  EXPECT_EQ(object.at("cacheControl"), "c");
  EXPECT_EQ(object.at("contentDisposition"), "d");
  EXPECT_EQ(object.at("contentLanguage"), "l");
  EXPECT_EQ(Read(), "media");
}

TEST_F(UploadTest, AcceptsMediaOfManySegments) {
  std::string media(9'000'000, '\0');
  for (std::size_t i = 0; i < media.size(); ++i) media[i] = static_cast<char>(i * 2654435761U >> 13);
  ASSERT_EQ(Multipart(R"({"name":"o"})", media).status, 200);
  EXPECT_TRUE(Read() == media);
  ASSERT_EQ(client_.Call("POST", "/upload/storage/v1/b/bucket/o?uploadType=media&name=o", "", media).status, 200);
  EXPECT_TRUE(Read() == media);
  const RawResponse part =
      client_.Call("GET", "/storage/v1/b/bucket/o/o?alt=media", "Range: bytes=4194300-8388700\r\n");
  EXPECT_TRUE(part.body == media.substr(4194300, 4194401));
}

TEST_F(UploadTest, StoresNothingWithAWrongHash) {
  struct Case {
    const char* metadata;
    const char* headers;
    int status;
  };
  // The hashes of "hello"; the first two of each are right.
  const std::vector<Case> cases = {
      {R"({"name":"o","crc32c":"AAAAAA=="})", "", 400},
      {R"({"name":"o","md5Hash":"AAAAAAAAAAAAAAAAAAAAAA=="})", "", 400},
      {R"({"name":"o","crc32c":"short"})", "", 400},
      {R"({"name":"o","md5Hash":7})", "", 400},
      {R"({"name":"o"})", "x-goog-hash: crc32c=AAAAAA==\r\n", 400},
      {R"({"name":"o"})", "x-goog-hash: crc32c=mnG7TA==, md5=AAAAAAAAAAAAAAAAAAAAAA==\r\n", 400},
      {R"({"name":"o"})", "x-goog-hash: crc32c=mnG7TA==\r\nx-goog-hash: md5=AAAAAAAAAAAAAAAAAAAAAA==\r\n", 400},
      {R"({"name":"o","crc32c":"mnG7TA=="})", "x-goog-hash: crc32c=AAAAAA==\r\n", 400},
      {R"({"name":"o"})", "x-goog-hash: sha1=x\r\n", 400},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(Multipart(c.metadata, "hello", c.headers).status, c.status) << c.metadata << " " << c.headers;
    EXPECT_EQ(GetObject().status, 404) << c.metadata << " " << c.headers;
  }
  EXPECT_EQ(Multipart(R"({"name":"o","crc32c":"mnG7TA==","md5Hash":"XUFAKrxLKna5cZ2REBfFkg=="})", "hello",
                      "x-goog-hash: crc32c=mnG7TA==,md5=XUFAKrxLKna5cZ2REBfFkg==\r\n")
                .status,
            200);
}

TEST_F(UploadTest, NamesTheWrongHash) {
  const json answer = json::parse(Multipart(R"({"name":"o","crc32c":"AAAAAA=="})", "hello").body);
  EXPECT_EQ(answer.at("error").at("message"),
            R"(Provided CRC32C hash "AAAAAA==" doesn't match calculated CRC32C hash "mnG7TA==".)");
}

TEST_F(UploadTest, PrefersTheNameOfTheQuery) {
  const RawResponse response =
      client_.Call("POST", "/upload/storage/v1/b/bucket/o?uploadType=resumable&name=o", "", R"({"name":"another"})");
  ASSERT_EQ(response.status, 200);
  const std::string session = response.Header("location");
  const RawResponse stored = client_.Call("PUT", session.substr(session.find("/upload/")), "", "content");
  EXPECT_EQ(json::parse(stored.body).at("name"), "o");
}

TEST_F(UploadTest, SessionUriHasTheHostOfTheRequest) {
  EXPECT_EQ(
      Start("&fields=name")
          .rfind(
              "http://emulator.test/upload/storage/v1/b/bucket/o?uploadType=resumable&name=o&fields=name&upload_id="),
      0U);
}

TEST_F(UploadTest, SessionAcceptsChunksOfUnknownTotal) {
  const std::string session =
      Start("&fields=name,size,contentType,metadata", "X-Upload-Content-Type: a/b\r\n", R"({"metadata":{"k":"v"}})");
  const RawResponse first = Put(session, "0-262143/*", std::string(kUnit, 'a'));
  EXPECT_EQ(first.status, 308);
  EXPECT_EQ(first.Header("range"), "bytes=0-262143");
  EXPECT_EQ(GetObject().status, 404);
  const RawResponse last = Put(session, "262144-262148/262149", "hello");
  EXPECT_EQ(last.status, 200);
  EXPECT_EQ(json::parse(last.body),
            json::parse(R"({"name":"o","size":"262149","contentType":"a/b","metadata":{"k":"v"}})"));
  EXPECT_TRUE(Read() == std::string(kUnit, 'a') + "hello");
}

TEST_F(UploadTest, SessionAcceptsAllBytesInOneRequest) {
  EXPECT_EQ(client_.Call("PUT", Start(), "", "hello").status, 200);
  EXPECT_EQ(Read(), "hello");
  const std::string chunked = Start();
  client_.Send("PUT " + chunked + " HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nbye\r\n0\r\n\r\n");
  EXPECT_EQ(client_.Receive()->status, 200);
  EXPECT_EQ(Read(), "bye");
}

TEST_F(UploadTest, SessionAcceptsAnEmptyObject) {
  EXPECT_EQ(client_.Call("PUT", Start()).status, 200);
  EXPECT_EQ(json::parse(GetObject().body).at("size"), "0");
  EXPECT_EQ(Put(Start("2"), "*/0").status, 200);
}

TEST_F(UploadTest, StatusQueryNeverFinalisesAPartialUpload) {
  const std::string session = Start();
  EXPECT_EQ(Put(session, "*/*").Header("range"), "");
  Put(session, "0-262143/300000", std::string(kUnit, 'a'));
  for (const char* question : {"*/*", "*/300000", "*/1", "*/262143"}) {
    const RawResponse response = Put(session, question);
    EXPECT_EQ(response.status, 308) << question;
    EXPECT_EQ(response.Header("range"), "bytes=0-262143") << question;
  }
  EXPECT_EQ(GetObject().status, 404);
}

TEST_F(UploadTest, StatusQueryWithTheRightSizeCompletes) {
  const std::string session = Start();
  Put(session, "0-262143/*", std::string(kUnit, 'a'));
  EXPECT_EQ(Put(session, "*/262144").status, 200);
  EXPECT_EQ(json::parse(GetObject().body).at("size"), "262144");
}

TEST_F(UploadTest, CompleteSessionKeepsItsAnswer) {
  const std::string session = Start();
  const RawResponse done = Put(session, "0-4/5", "hello");
  ASSERT_EQ(done.status, 200);
  client_.Call("DELETE", "/storage/v1/b/bucket/o/o");
  for (const RawResponse& again : {Put(session, "*/*"), Put(session, "*/5"), Put(session, "0-4/5", "hello")}) {
    EXPECT_EQ(again.status, 200);
    EXPECT_EQ(again.body, done.body);
  }
  EXPECT_EQ(GetObject().status, 404);
}

TEST_F(UploadTest, BytesSentAgainAreSkipped) {
  const std::string session = Start();
  const std::string content = std::string(kUnit, 'a') + std::string(kUnit, 'b') + "end";
  const std::string size = std::to_string(content.size());
  Put(session, "0-262143/*", content.substr(0, kUnit));
  Put(session, "0-262143/*", content.substr(0, kUnit));
  EXPECT_EQ(Put(session, "0-524287/*", content.substr(0, 2 * kUnit)).Header("range"), "bytes=0-524287");
  EXPECT_EQ(Put(session, "1000-" + std::to_string(content.size() - 1) + "/" + size, content.substr(1000)).status, 200);
  EXPECT_TRUE(Read() == content);
}

TEST_F(UploadTest, PartialUnitIsNotPersisted) {
  const std::string session = Start();
  const RawResponse response = Put(session, "0-299999/*", std::string(300'000, 'a'));
  EXPECT_EQ(response.status, 308);
  EXPECT_EQ(response.Header("range"), "bytes=0-262143");
}

TEST_F(UploadTest, BrokenChunkLeavesWholeUnits) {
  const std::string session = Start();
  RawConnection breaking(endpoint());
  breaking.Send("PUT " + session +
                " HTTP/1.1\r\nHost: h\r\nContent-Range: bytes 0-999999/1000000\r\nContent-Length: 1000000\r\n\r\n");
  breaking.Send(std::string(600'000, 'a'));
  breaking.FinishSending();
  EXPECT_EQ(breaking.Receive()->status, 400);
  EXPECT_EQ(Put(session, "*/*").Header("range"), "bytes=0-524287");
  EXPECT_EQ(Put(session, "524288-999999/1000000", std::string(1'000'000 - 2 * kUnit, 'a')).status, 200);
  EXPECT_EQ(json::parse(GetObject().body).at("size"), "1000000");
}

TEST_F(UploadTest, SessionRefusesInconsistentRanges) {
  const std::string session = Start("", "X-Upload-Content-Length: 300000\r\n");
  Put(session, "0-262143/300000", std::string(kUnit, 'a'));
  struct Case {
    const char* name;
    std::string content_range;
    std::string body;
  };
  const std::vector<Case> cases = {
      {"a gap", "262145-299999/300000", std::string(37855, 'a')},
      {"fewer bytes than announced", "262144-299999/300000", "short"},
      {"more bytes than announced", "262144-299999/300000", std::string(40'000, 'a')},
      {"a chunk that is too small", "262144-262148/*", "hello"},
      {"another total", "262144-300000/300001", std::string(37857, 'a')},
      {"a range behind its total", "262144-300000/300000", std::string(37857, 'a')},
      {"no range", "hello", ""},
      {"a question with a body", "*/*", "hello"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(Put(session, c.content_range, c.body).status, 400) << c.name;
    EXPECT_EQ(Put(session, "*/*").Header("range"), "bytes=0-262143") << c.name;
  }
  EXPECT_EQ(Put(session, "262144-299999/300000", std::string(37856, 'a')).status, 200);
}

TEST_F(UploadTest, ChunkedBodyMustFitItsRange) {
  const std::string session = Start();
  for (const char* body : {"4\r\nfour\r\n0\r\n\r\n", "6\r\nsixsix\r\n0\r\n\r\n"}) {
    client_.Send("PUT " + session +
                 " HTTP/1.1\r\nHost: h\r\nContent-Range: bytes 0-4/5\r\nTransfer-Encoding: chunked\r\n\r\n" + body);
    EXPECT_EQ(client_.Receive()->status, 400) << body;
    EXPECT_EQ(Put(session, "*/*").Header("range"), "") << body;
  }
}

TEST_F(UploadTest, SessionAcceptsARangeWithoutAnEnd) {
  for (const char* total : {"*", "262149"}) {
    const std::string session = Start();
    Put(session, "0-262143/*", std::string(kUnit, 'a'));
    EXPECT_EQ(Put(session, std::string("262144-*/") + total, "hello").status, 200) << total;
    EXPECT_EQ(json::parse(GetObject().body).at("size"), "262149") << total;
  }
  EXPECT_EQ(Put(Start(), "0-*/0").status, 200);
  EXPECT_EQ(Put(Start(), "0-*/4", "hello").status, 400);
  EXPECT_EQ(Put(Start(), "0-*/6", "hello").status, 400);
}

TEST_F(UploadTest, NullMetadataIsNoMetadata) {
  const RawResponse response =
      client_.Call("POST", "/upload/storage/v1/b/bucket/o?uploadType=resumable&name=o", "", "null");
  EXPECT_EQ(response.status, 200) << response.body;
}

TEST_F(UploadTest, SessionAcceptsPostLikeGoAndJava) {
  const std::string session = Start();
  const std::string chunk(kUnit, 'a');
  EXPECT_EQ(client_.Call("POST", session, "Content-Range: bytes 0-262143/*\r\n", chunk).status, 308);
  EXPECT_EQ(client_.Call("POST", session, "Content-Range: bytes 262144-262148/262149\r\n", "hello").status, 200);
  EXPECT_EQ(json::parse(GetObject().body).at("size"), "262149");
}

TEST_F(UploadTest, CancelledSessionIsGone) {
  const std::string session = Start();
  Put(session, "0-262143/*", std::string(kUnit, 'a'));
  EXPECT_EQ(client_.Call("DELETE", session).status, 499);
  EXPECT_EQ(Put(session, "*/*").status, 404);
  EXPECT_EQ(Put(session, "*/262144").status, 404);
  EXPECT_EQ(client_.Call("DELETE", session).status, 404);
  EXPECT_EQ(GetObject().status, 404);
}

TEST_F(UploadTest, CanAnswer200InsteadOf308) {
  const std::string session = Start();
  const RawResponse response = Put(session, "0-262143/*", std::string(kUnit, 'a'), "X-Guploader-No-308: yes\r\n");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.Header("x-http-status-code-override"), "308");
  EXPECT_EQ(response.Header("range"), "bytes=0-262143");
}

TEST_F(UploadTest, SessionChecksHashesOfItsStartAndEnd) {
  EXPECT_EQ(Put(Start("", "", R"({"crc32c":"AAAAAA=="})"), "0-4/5", "hello").status, 400);
  EXPECT_EQ(Put(Start("", "", R"({"md5Hash":"AAAAAAAAAAAAAAAAAAAAAA=="})"), "0-4/5", "hello").status, 400);
  EXPECT_EQ(Put(Start(), "0-4/5", "hello", "x-goog-hash: crc32c=AAAAAA==\r\n").status, 400);
  EXPECT_EQ(GetObject().status, 404);
  EXPECT_EQ(
      Put(Start("", "", R"({"crc32c":"mnG7TA=="})"), "0-4/5", "hello", "x-goog-hash: md5=XUFAKrxLKna5cZ2REBfFkg==\r\n")
          .status,
      200);
}

TEST_F(UploadTest, SessionChecksPreconditionsWhenItCompletes) {
  const std::string session = Start("&ifGenerationMatch=0");
  ASSERT_EQ(Put(Start(), "0-4/5", "rival").status, 200);
  EXPECT_EQ(Put(session, "0-4/5", "hello").status, 412);
  EXPECT_EQ(Put(session, "0-4/5", "hello").status, 412);
  EXPECT_EQ(Read(), "rival");
}

// 10,000 of them, over HTTP: complete sessions are dropped before open ones.
TEST_F(UploadTest, OpenSessionOutlivesManyCompleteOnes) {
  const std::string open = Start();
  for (int i = 0; i < 10'001; ++i) {
    const std::string session = Start();
    ASSERT_EQ(Put(session, "*/0").status, 200);
  }
  EXPECT_EQ(Put(open, "*/*").status, 308);
  EXPECT_EQ(Put(open, "0-3/4", "done").status, 200);
  EXPECT_EQ(Read(), "done");
}

}  // namespace
}  // namespace gcsflux::emulator
