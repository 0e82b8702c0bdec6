// DownloadFile against the emulator: only whole files under all conditions, and the state that is kept for the next
// call.
#include <atomic>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "base/crc32c.h"
#include "integration/download_file_fixture.h"
#include "support/fails_with.h"
#include "transfer/file/partial_file.h"

namespace gcsflux {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;
using testing::Pattern;

TEST_F(DownloadFileTest, DownloadsObjectsOfAnySize) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{kRange}, std::size_t{kRange} + 1, kSize}) {
    Store(Pattern(size));
    const auto done = DownloadFile(client_, kObject, file_, Options());
    ASSERT_TRUE(done.ok()) << done.error().message;
    EXPECT_EQ(done->generation, object_.generation);
    EXPECT_EQ(done->bytes, size);
    EXPECT_EQ(KeptBytes(*done), 0U);
    EXPECT_TRUE(done->is_verified);
    EXPECT_EQ(done->crc32c, object_.crc32c);
    EXPECT_EQ(done->object_crc32c, object_.crc32c);
    ExpectWhole(Pattern(size));
  }
}

TEST_F(DownloadFileTest, ReadsALargeObjectOverSeveralConnections) {
  ASSERT_TRUE(DownloadListed(client_, object_, file_, Options()).ok());
  std::size_t reads = 0;
  for (const auto& record : emulator_.journal()) reads += record.operation == "storage.objects.get";
  EXPECT_EQ(reads, 5U);
  ExpectWhole();
}

TEST_F(DownloadFileTest, ResumesAnInterruptedDownload) {
  Interrupt(kMiddle);
  const std::uint64_t before = BytesOut();
  std::atomic<std::uint64_t> most = 0;
  auto options = Options();
  options.on_progress = [&](const Progress& progress) {
    EXPECT_EQ(progress.total, kSize);
    for (std::uint64_t seen = most; seen < progress.bytes && !most.compare_exchange_weak(seen, progress.bytes);) {
    }
  };
  const auto done = DownloadListed(client_, object_, file_, options);
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_EQ(KeptBytes(*done), kMiddle);
  EXPECT_EQ(BytesOut() - before, done->bytes);
  EXPECT_EQ(most, kSize);
  ExpectWhole();
}

TEST_F(DownloadFileTest, KeepsThePartialFileIfTheCallbackThrows) {
  Interrupt(kMiddle);
  auto options = Options();
  options.on_progress = [](const Progress&) { throw std::runtime_error("enough"); };
  const auto failed = DownloadListed(client_, object_, file_, options);
  ASSERT_TRUE(testing::FailsWith(failed, ErrorCode::kLocalIo));
  EXPECT_NE(failed.error().message.find("enough"), std::string::npos) << failed.error().message;
  const auto done = DownloadListed(client_, object_, file_, Options());
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_GE(KeptBytes(*done), kMiddle);
  ExpectWhole();
}

TEST_F(DownloadFileTest, ResumesWithAnotherRangeSize) {
  Interrupt(kMiddle);
  auto options = Options();
  options.range_bytes = 100'000;
  const auto done = DownloadFile(client_, kObject, file_, options);
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_EQ(KeptBytes(*done), kMiddle);
  ExpectWhole();
}

TEST_F(DownloadFileTest, StartsOverForAnotherObject) {
  for (const std::string& other : {Pattern(kSize - 1), std::string(kSize - 1, 'x')}) {
    Interrupt(kMiddle);
    Store(other);
    const auto done = DownloadFile(client_, kObject, file_, Options());
    ASSERT_TRUE(done.ok()) << done.error().message;
    EXPECT_EQ(KeptBytes(*done), 0U);
    ExpectWhole(other);
    fs::remove(file_);
  }
}

// Without a checksum that would detect it, and without a wasted byte of the other generation.
TEST_F(DownloadFileTest, StartsOverForAnotherGenerationOfTheSameSize) {
  Interrupt(kMiddle);
  const std::string other(kSize, 'x');
  Store(other);
  const std::uint64_t before = BytesOut();
  const auto done = DownloadListed(client_, object_, file_, Options());
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_EQ(KeptBytes(*done), 0U);
  EXPECT_EQ(BytesOut() - before, kSize);
  ExpectWhole(other);
}

TEST_F(DownloadFileTest, StartsOverForAnotherObjectOfTheSameGeneration) {
  const std::string others(kRange, 'x');
  auto state = internal::StartOf("gs://bkt/another", object_.generation, object_.size, kRange);
  state.ranges[0] = {kRange, internal::ExtendCrc32c(0, AsBytes(others))};
  {
    const auto left = internal::PartialFile::Open(file_);
    ASSERT_TRUE(left.ok() && (*left)->Write(0, AsBytes(others)).ok() && (*left)->Save(state).ok());
  }
  const std::uint64_t before = BytesOut();
  const auto done = DownloadListed(client_, object_, file_, Options());
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_EQ(BytesOut() - before, kSize) << "without a byte that is read twice";
  ExpectWhole();
}

TEST_F(DownloadFileTest, LeavesNoFileIfNoByteArrived) {
  Load({}, {.type = "status", .status = 403}, 100);
  EXPECT_FALSE(DownloadListed(client_, object_, file_, Options()).ok());
  EXPECT_GE(Fired(), 1U);
  EXPECT_TRUE(fs::is_empty(directory_.path()));
}

TEST_F(DownloadFileTest, ReadsLostBytesOfItsFileAgain) {
  Interrupt(kMiddle);
  {
    std::fstream file(partial_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(kRange + 5);
    file.put('?');
  }
  const auto done = DownloadFile(client_, kObject, file_, Options());
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_EQ(KeptBytes(*done), kMiddle - kRange);
  ExpectWhole();
}

TEST_F(DownloadFileTest, StartsOverWithABrokenState) {
  Interrupt(kMiddle);
  fs::resize_file(partial_, fs::file_size(partial_) - 1);
  const auto done = DownloadFile(client_, kObject, file_, Options());
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_EQ(KeptBytes(*done), 0U);
  ExpectWhole();
}

TEST_F(DownloadFileTest, ResumesAfterACancellation) {
  Load({.covers_byte = 3 * kRange + 700'000}, {.type = "stall", .after_bytes = 600'000, .duration = seconds(3'600)});
  emulator_.clock().Freeze();
  std::stop_source stop;
  auto options = Options();
  options.stop = stop.get_token();
  std::optional<Result<ReadSummary>> cancelled;
  {
    const std::jthread download([&] { cancelled = DownloadListed(client_, object_, file_, options); });
    emulator_.clock().AwaitWaiters(1);
    stop.request_stop();
  }
  EXPECT_EQ(Fired(), 1U);
  EXPECT_TRUE(testing::FailsWith(*cancelled, ErrorCode::kCancelled));
  emulator_.faults().Clear();
  const auto done = DownloadListed(client_, object_, file_, Options());
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_GT(KeptBytes(*done), 0U);
  ExpectWhole();
}

TEST_F(DownloadFileTest, ReadsCorruptedRangesAgain) {
  Load({}, {.type = "corrupt", .at_byte = kRange + 1});
  const auto done = DownloadListed(client_, object_, file_, Options());
  EXPECT_EQ(Fired(), 1U);
  ASSERT_TRUE(done.ok()) << done.error().message;
  ExpectWhole();
}

TEST_F(DownloadFileTest, KeepsTheOldFileIfTheObjectIsCorrupted) {
  static_cast<void>(directory_.Write("file", "earlier"));
  Load({}, {.type = "corrupt", .at_byte = kRange + 1}, 100);
  const auto failed = DownloadListed(client_, object_, file_, Options());
  EXPECT_EQ(Fired(), 2U);
  ASSERT_TRUE(testing::FailsWith(failed, ErrorCode::kCorrupted));
  EXPECT_NE(failed.error().message.find("gs://bkt/o"), std::string::npos);
  ExpectWhole("earlier");
}

// The received bytes are not those of the listing, and are not resumed.
TEST_F(DownloadFileTest, LeavesNoFileIfTheSizeDiffersFromTheListing) {
  DownloadSource listed = object_;
  listed.size -= 1;
  EXPECT_TRUE(testing::FailsWith(DownloadListed(client_, listed, file_, Options()), ErrorCode::kCorrupted));
  EXPECT_FALSE(fs::exists(partial_));
  EXPECT_FALSE(fs::exists(file_));
}

TEST_F(DownloadFileTest, FetchesTheChecksumIfNoneIsListed) {
  Load({}, {.type = "corrupt", .at_byte = kRange + 1}, 100);
  object_.crc32c.reset();
  EXPECT_TRUE(testing::FailsWith(DownloadListed(client_, object_, file_, Options()), ErrorCode::kCorrupted));
  EXPECT_TRUE(fs::is_empty(directory_.path()));
}

TEST_F(DownloadFileTest, ReportsAnObjectThatChangesMeanwhile) {
  const DownloadSource old = object_;
  Store(Pattern(10));
  EXPECT_TRUE(testing::FailsWith(DownloadListed(client_, old, file_, Options()), ErrorCode::kNotFound));
  EXPECT_TRUE(fs::is_empty(directory_.path()));
}

TEST_F(DownloadFileTest, DecompressesWhatItHadFetchedBefore) {
  // "hello", as gzip data.
  const std::string stored("\x1f\x8b\x08\0\0\0\0\0\0\x03\xcb\x48\xcd\xc9\xc9\x07\0\x86\xa6\x10\x36\x05\0\0\0", 25);
  ASSERT_TRUE(client_.InsertObject(kObject, AsBytes(stored), {.attributes = {.content_encoding = "gzip"}}).ok());
  auto options = Options();
  options.decompress_gzip = true;
  std::ofstream(file_) << "old";
  fs::create_directory(directory_.path() / ".file.gunzip.gcsflux-partial");
  EXPECT_EQ(DownloadFile(client_, kObject, file_, options).error().code, ErrorCode::kLocalIo);
  EXPECT_EQ(ReadAll(file_), "old");
  EXPECT_TRUE(fs::exists(partial_));
  fs::remove(directory_.path() / ".file.gunzip.gcsflux-partial");
  const auto downloaded = DownloadFile(client_, kObject, file_, options);
  ASSERT_TRUE(downloaded.ok()) << downloaded.error().message;
  EXPECT_TRUE(downloaded->is_decompressed);
  EXPECT_EQ(KeptBytes(*downloaded), stored.size());
  ExpectWhole("hello");
  EXPECT_FALSE(fs::exists(directory_.path() / ".file.gunzip.gcsflux-partial"));
}

}  // namespace
}  // namespace gcsflux
