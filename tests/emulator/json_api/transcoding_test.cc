// Objects stored as gzip: https://cloud.google.com/storage/docs/transcoding

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>

#include "bodies/gunzip.h"
#include "emulator/support/gzip.h"
#include "emulator/support/raw_connection.h"
#include "gcsflux/emulator/gtest.h"

namespace gcsflux::emulator {
namespace {

// The output of Gunzip for `compressed` in segments of `segment` bytes; nothing if it fails.
std::optional<std::string> Inflate(const std::string& compressed, std::size_t segment) {
  Rope rope;
  for (std::size_t at = 0; at < compressed.size(); at += segment) rope.Append(Rope(compressed.substr(at, segment)));
  std::string text;
  const bool ok = Gunzip(rope, [&](std::span<const std::byte> bytes) {
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return true;
  });
  return ok ? std::optional(text) : std::nullopt;
}

std::string LongText() {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i);
  return text;
}

TEST(Gunzip, DecompressesInputOfAnySegmentation) {
  const std::string text = LongText();
  const std::string compressed = Gzip(text);
  for (const std::size_t segment : {std::size_t{1}, std::size_t{1000}, compressed.size()}) {
    EXPECT_TRUE(Inflate(compressed, segment) == text) << segment;
  }
}

TEST(Gunzip, ReadsMembersOneAfterAnother) {
  const std::string compressed = Gzip("one ") + Gzip("") + Gzip("two");
  for (const std::size_t segment : {std::size_t{1}, std::size_t{7}, compressed.size()}) {
    EXPECT_EQ(Inflate(compressed, segment), "one two") << segment;
  }
}

TEST(Gunzip, FailsForTruncatedOrCorruptInput) {
  const std::string compressed = Gzip("some text that is long enough to be compressed, compressed, compressed");
  for (std::size_t size = 0; size < compressed.size(); ++size) {
    EXPECT_FALSE(Inflate(compressed.substr(0, size), 1000)) << "cut at " << size;
  }
  std::string corrupt = compressed;
  corrupt[compressed.size() - 6] ^= 1;  // in the member's CRC
  EXPECT_FALSE(Inflate(corrupt, 1000));
}

TEST(Gunzip, StopsWhenItsSinkDoes) {
  int calls = 0;
  EXPECT_FALSE(Gunzip(Rope(Gzip(LongText())), [&](std::span<const std::byte>) { return ++calls < 2; }));
  EXPECT_EQ(calls, 2);
}

class TranscodingTest : public EmulatorTest {
 protected:
  void SetUp() override { ASSERT_EQ(client_.Call("POST", "/storage/v1/b", "", R"({"name":"bucket"})").status, 200); }
  void Put(const std::string& content) {
    ASSERT_EQ(
        client_.Call("POST", "/upload/storage/v1/b/bucket/o?uploadType=media&name=o&contentEncoding=gzip", "", content)
            .status,
        200);
  }
  RawResponse Get(const std::string& headers = "") {
    return client_.Call("GET", "/storage/v1/b/bucket/o/o?alt=media", headers);
  }

  RawConnection client_{endpoint()};
};

TEST_F(TranscodingTest, DecompressesForClientsWithoutGzip) {
  const std::string text = LongText();
  Put(Gzip(text));
  const RawResponse response = Get("Range: bytes=0-1\r\n");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.Header("content-encoding"), "");
  EXPECT_EQ(response.Header("x-goog-stored-content-encoding"), "gzip");
  EXPECT_TRUE(response.body == text);
}

TEST_F(TranscodingTest, DeliversAsStoredToClientsWithGzip) {
  const std::string compressed = Gzip("text");
  Put(compressed);
  const RawResponse response = Get("Accept-Encoding: gzip\r\n");
  EXPECT_EQ(response.Header("content-encoding"), "gzip");
  EXPECT_EQ(response.body, compressed);
  const RawResponse part = Get("Accept-Encoding: gzip\r\nRange: bytes=2-4\r\n");
  EXPECT_EQ(part.status, 206);
  EXPECT_EQ(part.body, compressed.substr(2, 3));
}

TEST_F(TranscodingTest, DeliversAsStoredUnderNoTransform) {
  const std::string compressed = Gzip("text");
  Put(compressed);
  ASSERT_EQ(client_.Call("PATCH", "/storage/v1/b/bucket/o/o", "", R"({"cacheControl":"no-transform"})").status, 200);
  EXPECT_EQ(Get().body, compressed);
}

TEST_F(TranscodingTest, BreaksTheAnswerForACorruptObject) {
  const std::string compressed = Gzip(LongText());
  Put(compressed.substr(0, compressed.size() / 2));
  client_.Send("GET /storage/v1/b/bucket/o/o?alt=media HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_FALSE(client_.Receive());
}

}  // namespace
}  // namespace gcsflux::emulator
