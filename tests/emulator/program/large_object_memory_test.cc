// The memory of large objects in the emulator, which is a separate process. Uploads of unknown length need little more
// than their bytes; composed and copied objects need none.

#include <gtest/gtest.h>

#include <cstdint>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "emulator/support/raw_connection.h"
#include "http/hash_text.h"
#include "store/bytes/body.h"
#include "support/emulator_process.h"
#include "support/process_memory.h"

namespace gcsflux::emulator {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

class LargeObjectMemoryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(client_.Call("POST", "/storage/v1/b", "", R"({"name":"bucket"})").status, 200);
    for (std::size_t i = 0; i < block_.size(); ++i) block_[i] = static_cast<char>(i * 2654435761U >> 13);
  }

  [[nodiscard]] std::uint64_t Memory(std::string_view name) const {
    return testing::MemoryFigure(emulator_.pid(), name);
  }

  // The answer to an upload of `blocks` blocks without a length in advance.
  RawResponse SendChunked(std::uint64_t blocks, const std::string& name) {
    client_.Send("POST /upload/storage/v1/b/bucket/o?uploadType=media&fields=size,crc32c&name=" + name +
                 " HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (std::uint64_t i = 0; i < blocks; ++i) client_.Send("100000\r\n" + block_ + "\r\n");
    client_.Send("0\r\n\r\n");
    return client_.Receive().value_or(RawResponse());
  }

  // In chunks of `chunk` blocks.
  RawResponse SendResumably(std::uint64_t blocks, std::uint64_t chunk, const std::string& name) {
    const std::string session =
        client_.Call("POST", "/upload/storage/v1/b/bucket/o?uploadType=resumable&fields=size,crc32c&name=" + name)
            .Header("location");
    std::string body;
    for (std::uint64_t i = 0; i < chunk; ++i) body += block_;
    RawResponse response;
    for (std::uint64_t begin = 0; begin < blocks * kMiB; begin += body.size()) {
      const std::uint64_t end = begin + body.size();
      const std::string total = end == blocks * kMiB ? std::to_string(end) : "*";
      response = client_.Call(
          "PUT", session,
          "Content-Range: bytes " + std::to_string(begin) + "-" + std::to_string(end - 1) + "/" + total + "\r\n", body);
    }
    return response;
  }

  // The answer must be that of an object of so many blocks.
  void ExpectStored(const RawResponse& response, std::uint64_t blocks) {
    ASSERT_EQ(response.status, 200) << response.body;
    const Rope block(block_);
    Rope whole;
    for (std::uint64_t i = 0; i < blocks; ++i) whole.Append(block);
    EXPECT_EQ(json::parse(response.body).at("size"), std::to_string(blocks * kMiB));
    EXPECT_EQ(json::parse(response.body).at("crc32c"), EncodeCrc32c(Body(whole).crc32c()));
  }

  // The peak memory of `upload`, of this many blocks, in addition to its own bytes.
  template <class Upload>
  std::int64_t PeakBeside(std::uint64_t blocks, const Upload& upload) {
    testing::ResetPeakMemory(emulator_.pid());
    const std::uint64_t before = Memory("VmRSS");
    ExpectStored(upload(), blocks);
    const auto beside = static_cast<std::int64_t>(Memory("VmHWM") - before) - static_cast<std::int64_t>(blocks * kMiB);
    std::cout << blocks << " MiB: at most " << beside / 1024 << " KiB beside the body\n";
    return beside;
  }

  const testing::EmulatorProcess emulator_;
  RawConnection client_{emulator_.endpoint()};
  std::string block_ = std::string(kMiB, '\0');
};

TEST_F(LargeObjectMemoryTest, ChunkedTransferNeedsItsBodyAnd64MiB) {
  const std::int64_t beside = PeakBeside(2048, [this] { return SendChunked(2048, "o"); });
  EXPECT_LE(beside, static_cast<std::int64_t>(64 * kMiB));
}

TEST_F(LargeObjectMemoryTest, ResumableUploadNeedsItsBodyAnd64MiB) {
  const std::int64_t beside = PeakBeside(2048, [this] { return SendResumably(2048, 8, "o"); });
  EXPECT_LE(beside, static_cast<std::int64_t>(64 * kMiB));
}

TEST_F(LargeObjectMemoryTest, ComposeAndCopyMoveNoBytes) {
  ExpectStored(SendChunked(1024, "large"), 1024);
  const std::uint64_t before = Memory("VmRSS");
  const std::string objects = "/storage/v1/b/bucket/o/";
  const RawResponse composed = client_.Call("POST", objects + "composed/compose?fields=size,crc32c", "",
                                            R"({"sourceObjects":[{"name":"large"},{"name":"large"}]})");
  ExpectStored(composed, 2048);
  ExpectStored(client_.Call("POST", objects + "large/copyTo/b/bucket/o/copy?fields=size,crc32c"), 1024);
  const RawResponse rewritten = client_.Call("POST", objects + "large/rewriteTo/b/bucket/o/rewritten?fields=done");
  EXPECT_EQ(rewritten.body, R"({"done":true})");
  EXPECT_LT(Memory("VmRSS"), before + 16 * kMiB);
}

}  // namespace
}  // namespace gcsflux::emulator
