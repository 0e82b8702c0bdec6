// Checksums and names that code outside the library computes of bytes, files and names.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "gcsflux/download.h"
#include "gcsflux/download_file.h"
#include "gcsflux/emulator/emulator.h"
#include "gcsflux/object.h"
#include "gcsflux/upload.h"
#include "support/result.h"
#include "support/test_directory.h"

namespace gcsflux {
namespace {

constexpr std::string_view kDigits = "123456789";
constexpr std::uint32_t kCrc32cOfDigits = 0xE3069283;

TEST(Checksums, MatchTheService) {
  EXPECT_EQ(Crc32cOf(AsBytes(kDigits)), kCrc32cOfDigits);
  EXPECT_EQ(Crc32cOf(AsBytes(kDigits.substr(4)), Crc32cOf(AsBytes(kDigits.substr(0, 4)))), kCrc32cOfDigits);
  EXPECT_EQ(Crc32cOf({}), 0U);
}

TEST(Checksums, MatchTheBytesOfFiles) {
  const testing::TestDirectory directory;
  EXPECT_EQ(*Crc32cOfFile(directory.Write("digits", std::string(kDigits))), kCrc32cOfDigits);
  const std::string large(3'000'001, 'x');
  const std::string path = directory.Write("large", large);
  EXPECT_EQ(*Crc32cOfFile(path), Crc32cOf(AsBytes(large)));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(testing::ErrorOf(Crc32cOfFile(path, stop.get_token())).code, ErrorCode::kCancelled);
  EXPECT_EQ(testing::ErrorOf(Crc32cOfFile(directory.path())).code, ErrorCode::kLocalIo);
}

TEST(Checksums, DetectADifferentObject) {
  const emulator::Emulator emulator;
  const ClientOptions options{.endpoint = emulator.endpoint(), .project = "p"};
  const Client client = *Client::Create(options);
  DownloadSource source{.object = {"bkt", "o"}, .size = 9, .generation = 1, .crc32c = kCrc32cOfDigits};
  EXPECT_TRUE(CompareWithObject(client, source, kCrc32cOfDigits));
  EXPECT_EQ(testing::ErrorOf(CompareWithObject(client, source, 1)).code, ErrorCode::kCorrupted);
  source.crc32c.reset();
  EXPECT_TRUE(CompareWithObject(client, source, 1));
  EXPECT_EQ(client.counters().unverified_reads, 1U);
  ClientOptions strict = options;
  strict.require_checksum = true;
  EXPECT_EQ(testing::ErrorOf(CompareWithObject(*Client::Create(strict), source, 1)).code, ErrorCode::kUnverified);
}

TEST(Names, AreRefusedIfInvalid) {
  EXPECT_TRUE(CheckObjectName("a/b"));
  for (const std::string& name : {std::string(), std::string(1'025, 'x'), std::string("a\nb"), std::string("\xff")}) {
    EXPECT_EQ(testing::ErrorOf(CheckObjectName(name)).code, ErrorCode::kInvalidArgument) << name;
  }
  EXPECT_TRUE(IsPartialFileName(".a.gcsflux-partial"));
  EXPECT_FALSE(IsPartialFileName("a.gcsflux-partial"));
}

TEST(Names, DifferForDifferentUploads) {
  const auto client = [](const char* endpoint) { return *Client::Create({.endpoint = endpoint, .project = "p"}); };
  const Client one = client("http://127.0.0.1:1");
  const std::set<std::string> names = {
      UploadStateName(one, "/a", {"bkt", "o"}), UploadStateName(one, "/b", {"bkt", "o"}),
      UploadStateName(one, "/a", {"bkt", "p"}), UploadStateName(one, "/a", {"bkt", "o"}, {.mode = WriteMode::kCreate}),
      UploadStateName(client("http://127.0.0.1:2"), "/a", {"bkt", "o"})};
  EXPECT_EQ(names.size(), 5U);
  for (const std::string& name : names) EXPECT_EQ(name.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(names.begin()->size(), 64U);
  EXPECT_TRUE(names.contains(UploadStateName(one, "/a", {"bkt", "o"})));
}

}  // namespace
}  // namespace gcsflux
