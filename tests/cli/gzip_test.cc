// cp -z and -Z, and downloads of what is stored with Content-Encoding: gzip.
#include "cli/copy/gzip.h"

#include <gmock/gmock.h>

#include <utility>

#include "cli/command_fixture.h"
#include "cli/copy/compressed_upload.h"
#include "client/gunzip.h"
#include "support/upload_case.h"

namespace gcsflux::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

std::string Gunzipped(std::string_view data) {
  std::string plain;
  internal::Gunzip gunzip;
  const ByteSink append = [&](std::span<const std::byte> bytes) -> Result<void> {
    plain.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return {};
  };
  EXPECT_TRUE(gunzip.Write(AsBytes(data), append).ok());
  EXPECT_TRUE(gunzip.Finish().ok());
  return plain;
}

std::string Gzipped(std::string_view plain, std::size_t chunk) {
  std::string data;
  Gzip gzip;
  const ByteSink append = [&](std::span<const std::byte> bytes) -> Result<void> {
    data.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return {};
  };
  for (std::size_t at = 0; at < plain.size(); at += chunk) {
    EXPECT_TRUE(gzip.Write(AsBytes(plain.substr(at, chunk)), append).ok());
  }
  EXPECT_TRUE(gzip.Finish(append).ok());
  return data;
}

TEST(Gzip, MakesTheSameDataOfAnyChunks) {
  const std::string plain = testing::Pattern(300'000);
  EXPECT_EQ(Gunzipped(Gzipped(plain, 1 << 20)), plain);
  EXPECT_EQ(Gunzipped(Gzipped(plain, 1'000)), plain);
  EXPECT_EQ(Gzipped(plain, 1'000), Gzipped(plain, 77'777));
  EXPECT_EQ(Gunzipped(Gzipped("", 1)), "");
}

TEST(Gzip, FailsAsItsSinkDoes) {
  Gzip gzip;
  const ByteSink full = [](std::span<const std::byte>) -> Result<void> { return Error{ErrorCode::kLocalIo, "full"}; };
  EXPECT_EQ(gzip.Finish(full).error().code, ErrorCode::kLocalIo);
}

class GzipTest : public CommandTest {
 protected:
  ObjectMetadata Metadata(const std::string& name) { return *client_.GetObject({"bkt", name}); }
  const std::string kText = std::string(5'000, 'x') + "end";
};

TEST_F(GzipTest, CompressesTheExtensionsThatAreNamed) {
  WriteFile("d/a.txt", kText);
  WriteFile("d/b.html", kText);
  WriteFile("d/c.txtx", kText);
  WriteFile("d/txt", kText);
  const Outcome outcome = Run({"cp", "-rz", "txt,.html", "d", "gs://bkt/d"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (const char* name : {"d/a.txt", "d/b.html"}) {
    EXPECT_EQ(Gunzipped(Stored(name)), kText) << name;
    EXPECT_EQ(Metadata(name).content_encoding + "|" + Metadata(name).cache_control, "gzip|no-transform") << name;
    EXPECT_LT(Metadata(name).size, 200U) << name;
  }
  EXPECT_EQ(Metadata("d/a.txt").content_type, "text/plain");
  for (const char* name : {"d/c.txtx", "d/txt"}) {
    EXPECT_EQ(Stored(name), kText) << name;
    EXPECT_EQ(Metadata(name).content_encoding + Metadata(name).cache_control, "") << name;
  }
}

TEST_F(GzipTest, KeepsTheCacheControlThatWasGiven) {
  WriteFile("a.txt", kText);
  ASSERT_EQ(Run({"cp", "-Z", "--cache-control=max-age=60", "a.txt", "gs://bkt/a"}).status, 0);
  EXPECT_EQ(Metadata("a").cache_control, "max-age=60, no-transform");
  ASSERT_EQ(Run({"cp", "-Z", "--cache-control=no-transform", "a.txt", "gs://bkt/a"}).status, 0);
  EXPECT_EQ(Metadata("a").cache_control, "no-transform");
}

TEST_F(GzipTest, CompressesAllWithTheCapitalLetter) {
  WriteFile("a", kText);
  WriteFile("empty", "");
  ASSERT_EQ(Run({"cp", "-Z", "a", "empty", "gs://bkt/"}).status, 0);
  EXPECT_EQ(Gunzipped(Stored("a")), kText);
  EXPECT_EQ(Gunzipped(Stored("empty")), "");
}

TEST_F(GzipTest, CompressesALargeFileInParts) {
  const std::string large = testing::Pattern(12 << 20);
  WriteFile("large", large);
  ASSERT_EQ(Run({"cp", "-Z", "--part_bytes=5242880", "large", "gs://bkt/large"}).status, 0);
  EXPECT_EQ(Metadata("large").content_encoding, "gzip");
  ASSERT_EQ(Run({"cp", "gs://bkt/large", "back"}).status, 0);
  EXPECT_TRUE(ReadFile("back") == large);
}

TEST_F(GzipTest, RefusesFlagsThatContradict) {
  WriteFile("a.txt", kText);
  EXPECT_THAT(Run({"cp", "-Z", "-z", "txt", "a.txt", "gs://bkt/a"}).err, HasSubstr("give either --gzip_local"));
  EXPECT_EQ(Run({"cp", "-z", "txt,", "a.txt", "gs://bkt/a"}).status, 0);
  EXPECT_THAT(Run({"cp", "-z", "txt,,html", "a.txt", "gs://bkt/a"}).err, HasSubstr("has an empty extension"));
}

TEST_F(GzipTest, IsDecompressedInFilesOnly) {
  WriteFile("a.txt", kText);
  ASSERT_EQ(Run({"cp", "-Z", "a.txt", "gs://bkt/d/a.txt"}).status, 0);
  const std::string stored = Stored("d/a.txt");
  ASSERT_EQ(Run({"cp", "gs://bkt/d/a.txt", "one"}).status, 0);
  EXPECT_EQ(ReadFile("one"), kText);
  ASSERT_EQ(Run({"cp", "-r", "gs://bkt/d", "many"}).status, 0);
  EXPECT_EQ(ReadFile("many/a.txt"), kText);
  EXPECT_THAT(Files("many"), ElementsAre("a.txt")) << "no temporary file is left";
  ASSERT_EQ(Run({"cp", "--do-not-decompress", "gs://bkt/d/a.txt", "raw"}).status, 0);
  EXPECT_EQ(ReadFile("raw"), stored);
  EXPECT_EQ(Run({"cp", "gs://bkt/d/a.txt", "-"}).out, stored);
  EXPECT_EQ(Run({"cat", "gs://bkt/d/a.txt"}).out, stored);
  ASSERT_EQ(Run({"sync", "gs://bkt/d", "mirror"}).status, 0);
  EXPECT_EQ(ReadFile("mirror/a.txt"), stored);
}

TEST_F(GzipTest, StaysCompressedInCopiesWithinTheService) {
  WriteFile("a.txt", kText);
  ASSERT_EQ(Run({"cp", "-Z", "a.txt", "gs://bkt/a"}).status, 0);
  ASSERT_EQ(Run({"cp", "--content-type=text/x", "gs://bkt/a", "gs://bkt/b"}).status, 0);
  EXPECT_EQ(Metadata("b").content_encoding, "gzip");
  EXPECT_EQ(Gunzipped(Stored("b")), kText);
}

TEST_F(GzipTest, ArchivesWithoutTheEncodingStayAsTheyAre) {
  const std::string archive = Gzipped(kText, 100);
  Store("a.gz", archive);
  ASSERT_EQ(Run({"cp", "gs://bkt/a.gz", "a.gz"}).status, 0);
  EXPECT_EQ(ReadFile("a.gz"), archive);
}

TEST_F(GzipTest, WhatIsNoGzipDataStaysAsStored) {
  ASSERT_TRUE(client_.InsertObject({"bkt", "a"}, AsBytes("plain"), {.attributes = {.content_encoding = "gzip"}}).ok());
  ASSERT_EQ(Run({"cp", "gs://bkt/a", "a"}).status, 0);
  EXPECT_EQ(ReadFile("a"), "plain");
}

TEST_F(GzipTest, DamagedDataIsAnErrorThatLeavesNoFile) {
  const std::string damaged = Gzipped(kText, 100).substr(0, 20);
  ASSERT_TRUE(client_.InsertObject({"bkt", "a"}, AsBytes(damaged), {.attributes = {.content_encoding = "gzip"}}).ok());
  WriteFile("d/other", "1");
  const Outcome outcome = Run({"cp", "gs://bkt/a", "d/"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("--do_not_decompress downloads its stored bytes"));
  EXPECT_THAT(Files("d"), ElementsAre("other"));
}

TEST_F(GzipTest, AFileThatChangesMeanwhileIsNotStored) {
  WriteFile("a", kText);
  bool has_changed = false;
  const auto change = [&](const Progress&) {
    if (!std::exchange(has_changed, true)) WriteFile("a", kText + "more");
  };
  const auto stored = UploadCompressed(client_, PathOf("a"), {"bkt", "a"},
                                       {.attributes = {.content_encoding = "gzip"}, .on_progress = change});
  EXPECT_TRUE(has_changed);
  ASSERT_FALSE(stored.ok());
  EXPECT_EQ(stored.error().code, ErrorCode::kLocalIo);
  EXPECT_THAT(Objects(), SizeIs(0));
}

}  // namespace
}  // namespace gcsflux::cli
