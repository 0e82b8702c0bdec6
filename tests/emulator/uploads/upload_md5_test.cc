// The MD5 of uploads, computed while they arrive, for every kind of upload.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "base/base64.h"
#include "emulator/support/raw_connection.h"
#include "gcsflux/emulator/gtest.h"
#include "http/hash_text.h"
#include "store/bytes/md5.h"
#include "support/concatenated.h"

namespace gcsflux::emulator {
namespace {

using nlohmann::json;

constexpr std::size_t kQuantum = std::size_t{256} << 10;

class UploadMd5Test : public EmulatorTest {
 protected:
  void SetUp() override {
    ASSERT_EQ(client_.Call("POST", "/storage/v1/b", "", R"({"name":"bucket"})").status, 200);
    for (std::size_t i = 0; i < content_.size(); ++i) content_[i] = static_cast<char>(i * 2654435761U >> 13);
  }

  std::string Start(const std::string& parameters = "") {
    return client_.Call("POST", "/upload/storage/v1/b/bucket/o?uploadType=resumable&name=o" + parameters)
        .Header("location");
  }
  // The upload's bytes [begin, end), of a total that is not known before the last byte.
  RawResponse Put(const std::string& session, std::size_t begin, std::size_t end) {
    const std::string total = end == content_.size() ? std::to_string(end) : "*";
    return client_.Call(
        "PUT", session,
        "Content-Range: bytes " + std::to_string(begin) + "-" + std::to_string(end - 1) + "/" + total + "\r\n",
        content_.substr(begin, end - begin));
  }
  static std::string Md5Of(const RawResponse& response) {
    EXPECT_EQ(response.status, 200) << response.body;
    return json::parse(response.body).at("md5Hash");
  }
  // Whether it was computed already: only then do reads of large media show it.
  bool KnowsMd5() {
    const RawResponse read = client_.Call("GET", "/download/storage/v1/b/bucket/o/o");
    EXPECT_TRUE(read.body == content_);
    return read.Header("x-goog-hash").find("md5=") != std::string::npos;
  }

  RawConnection client_{endpoint()};
  std::string content_ = std::string(36 * kQuantum + 5, '\0');  // a little more than 9 MiB
  [[nodiscard]] std::string Want() const { return EncodeMd5(ComputeMd5(Rope(content_))); }
};

TEST_F(UploadMd5Test, CoversMediaOfKnownAndUnknownLength) {
  const std::string target = "/upload/storage/v1/b/bucket/o?uploadType=media&name=o";
  EXPECT_EQ(Md5Of(client_.Call("POST", target, "", content_)), Want());
  client_.Send("POST " + target + " HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
  client_.Send("600005\r\n" + content_.substr(0, 0x600005) + "\r\n300000\r\n" + content_.substr(0x600005) +
               "\r\n0\r\n\r\n");
  EXPECT_EQ(Md5Of(*client_.Receive()), Want());
}

TEST_F(UploadMd5Test, CoversMediaInAMultipartBody) {
  struct Case {
    const char* name;
    std::string preamble;
    std::string epilogue;
  };
  const std::vector<Case> cases = {
      {"plain", "", ""},
      {"with a line break behind it", "", "\r\n"},
      {"with an epilogue", "before\r\n", "\r\n" + std::string(3 << 20, 'e')},
      {"behind a long preamble", std::string(1 << 20, 'p') + "\r\n", ""},
  };
  const std::string target = "/upload/storage/v1/b/bucket/o?uploadType=multipart";
  const std::string type = "Content-Type: multipart/related; boundary=xyz\r\n";
  for (const Case& c : cases) {
    const std::string body =
        testing::Concatenated({c.preamble, "--xyz\r\n\r\n{\"name\":\"o\"}\r\n--xyz\r\nContent-Type: a/b\r\n\r\n",
                               content_, "\r\n--xyz--", c.epilogue});
    EXPECT_EQ(Md5Of(client_.Call("POST", target, type, body)), Want()) << c.name;
    client_.Send("POST " + target + " HTTP/1.1\r\nHost: h\r\n" + type + "Transfer-Encoding: chunked\r\n\r\n");
    client_.Send("800000\r\n" + body.substr(0, 0x800000) + "\r\n");
    std::ostringstream rest_size;
    rest_size << std::hex << body.size() - 0x800000;
    client_.Send(rest_size.str() + "\r\n" + body.substr(0x800000) + "\r\n0\r\n\r\n");
    EXPECT_EQ(Md5Of(*client_.Receive()), Want()) << c.name << ", of unknown length";
  }
}

TEST_F(UploadMd5Test, CoversTheDecodedBytesOfBase64) {
  const std::string body = "--b\r\n\r\n{\"name\":\"o\"}\r\n--b\r\nContent-Transfer-Encoding: Base64\r\n\r\n" +
                           EncodeBase64(content_) + "\r\n--b--";
  EXPECT_EQ(Md5Of(client_.Call("POST", "/upload/storage/v1/b/bucket/o?uploadType=multipart",
                               "Content-Type: multipart/mixed; boundary=b\r\n", body)),
            Want());
}

TEST_F(UploadMd5Test, CoversRepeatedChunksOnce) {
  const std::string session = Start();
  Put(session, 0, 10 * kQuantum);
  Put(session, 0, 10 * kQuantum);
  Put(session, 3 * kQuantum, 20 * kQuantum);
  EXPECT_EQ(Md5Of(Put(session, 20 * kQuantum, content_.size())), Want());
}

TEST_F(UploadMd5Test, CoversAllBytesAfterABrokenChunk) {
  const std::string session = Start();
  Put(session, 0, 10 * kQuantum);
  RawConnection breaking(endpoint());
  const std::size_t begin = 10 * kQuantum;
  breaking.Send("PUT " + session + " HTTP/1.1\r\nHost: h\r\nContent-Range: bytes " + std::to_string(begin) + "-" +
                std::to_string(content_.size() - 1) + "/" + std::to_string(content_.size()) +
                "\r\nContent-Length: " + std::to_string(content_.size() - begin) + "\r\n\r\n");
  breaking.Send(content_.substr(begin, 5 * kQuantum + 77));
  breaking.FinishSending();
  ASSERT_EQ(breaking.Receive()->status, 400);
  EXPECT_EQ(Md5Of(Put(session, 15 * kQuantum, content_.size())), Want());
}

TEST_F(UploadMd5Test, IsNotComputedIfTheAnswerOmitsIt) {
  const std::string fields = "&fields=name,crc32c";
  client_.Call("POST", "/upload/storage/v1/b/bucket/o?uploadType=media&name=o" + fields, "", content_);
  EXPECT_FALSE(KnowsMd5());
  const std::string session = Start(fields);
  Put(session, 0, 10 * kQuantum);
  EXPECT_EQ(Put(session, 10 * kQuantum, content_.size()).status, 200);
  EXPECT_FALSE(KnowsMd5());
}

TEST_F(UploadMd5Test, IsCheckedAlthoughTheAnswerOmitsIt) {
  const std::string target = "/upload/storage/v1/b/bucket/o?uploadType=media&name=o&fields=name";
  EXPECT_EQ(client_.Call("POST", target, "x-goog-hash: md5=XUFAKrxLKna5cZ2REBfFkg==\r\n", content_).status, 400);
  EXPECT_EQ(client_.Call("POST", target, "x-goog-hash: md5=" + Want() + "\r\n", content_).status, 200);
  EXPECT_TRUE(KnowsMd5());
}

TEST_F(UploadMd5Test, IsTheEntityTagOfTheXmlApi) {
  const RawResponse put = client_.Call("PUT", "/bucket/o", "", content_);
  ASSERT_EQ(put.status, 200);
  EXPECT_EQ(put.headers.count("x-goog-hash"), 2U);
  EXPECT_EQ(std::next(put.headers.lower_bound("x-goog-hash"))->second, "md5=" + Want());
}

}  // namespace
}  // namespace gcsflux::emulator
