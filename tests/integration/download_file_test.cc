// DownloadFile against the emulator: only whole files under all conditions, and the state that is kept for the next
// call.
#include "gcsflux/download_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

#include "base/crc32c.h"
#include "gcsflux/emulator/emulator.h"
#include "support/fails_with.h"
#include "support/test_directory.h"
#include "support/upload_case.h"
#include "transfer/file/partial_file.h"

namespace gcsflux {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;
using testing::Pattern;

constexpr std::uint64_t kRange = 1U << 20;
constexpr std::uint64_t kMiddle = 2 * kRange + 500'000;
constexpr std::size_t kSize = 4 * kRange + 12'345;

// What was in the file from an earlier download.
std::uint64_t KeptBytes(const ReadSummary& downloaded) { return downloaded.object_size - downloaded.bytes; }

std::string ReadAll(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class DownloadFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(client_.InsertBucket("bkt").ok());
    Store(Pattern(kSize));
  }

  void Store(const std::string& bytes) {
    const auto stored = client_.InsertObject(kObject, AsBytes(bytes));
    ASSERT_TRUE(stored.ok()) << stored.error().message;
    object_ = {kObject, stored->size, stored->generation, stored->crc32c};
  }

  void Load(const emulator::FaultMatch& match, const emulator::FaultAction& action, std::uint64_t count = 1) {
    emulator::FaultRule rule{.name = "fault", .match = match, .action = action, .limits = {.count = count}};
    rule.match.operation = "storage.objects.get";
    emulator_.faults().Load({.rules = {rule}});
  }
  [[nodiscard]] std::uint64_t Fired() { return emulator_.faults().Fired("fault"); }

  // Bytes of the object that were sent since `Reads()` had this value.
  [[nodiscard]] std::uint64_t BytesOut() const { return emulator_.counters().bytes_out; }

  [[nodiscard]] DownloadFileOptions Options() const { return {.range_bytes = kRange, .max_concurrency = 3}; }

  // After the first bytes, the partial file is deleted, and another download of the same file starts.
  [[nodiscard]] DownloadFileOptions ThatReplaceThePartialFile() {
    auto options = Options();
    options.max_concurrency = 1;
    options.on_progress = [this](const Progress&) {
      std::call_once(replaced_, [this] {
        fs::remove(partial_);
        std::ofstream(partial_) << kOthers;
      });
    };
    return options;
  }

  // Leaves the object's first `at` bytes: there the connection breaks, and the retry is refused.
  void Interrupt(std::uint64_t at) {
    const emulator::FaultMatch match{.operation = "storage.objects.get", .covers_byte = at};
    emulator::FaultMatch again = match;
    again.attempt = 2;
    emulator_.faults().Load(
        {.rules = {{.name = "cut",
                    .match = match,
                    .action = {.type = "cut", .after_bytes = at % kRange},
                    .limits = {.count = 1}},
                   {.name = "refused", .match = again, .action = {.type = "status", .status = 401}}}});
    auto options = Options();
    options.max_concurrency = 1;
    const auto failed = DownloadFile(client_, kObject, file_, options);
    ASSERT_FALSE(failed.ok());
    EXPECT_EQ(emulator_.faults().Fired("cut"), 1U);
    EXPECT_EQ(emulator_.faults().Fired("refused"), 1U);
    emulator_.faults().Clear();
    ASSERT_TRUE(fs::exists(partial_));
    ASSERT_FALSE(fs::exists(file_));
  }

  void ExpectWhole(const std::string& bytes = Pattern(kSize)) const {
    EXPECT_TRUE(ReadAll(file_) == bytes) << file_;
    EXPECT_FALSE(fs::exists(partial_));
  }

  const ObjectName kObject{"bkt", "o"};
  const std::string kOthers = "incomplete bytes of another download";
  std::once_flag replaced_;
  emulator::Emulator emulator_;
  Client client_ = *Client::Create({.endpoint = emulator_.endpoint(), .project = "p", .hedge_budget = 0});
  DownloadSource object_;
  testing::TestDirectory directory_;
  const std::string file_ = directory_.path() / "file";
  const fs::path partial_ = directory_.path() / ".file.gcsflux-partial";
};

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

TEST_F(DownloadFileTest, ReplacesAFileOnlyIfAllowed) {
  static_cast<void>(directory_.Write("file", "earlier"));
  auto options = Options();
  options.may_replace = false;
  EXPECT_TRUE(testing::FailsWith(DownloadListed(client_, object_, file_, options), ErrorCode::kAlreadyExists));
  ExpectWhole("earlier");
  options.may_replace = true;
  options.is_durable = true;
  ASSERT_TRUE(DownloadListed(client_, object_, file_, options).ok());
  ExpectWhole();
}

TEST_F(DownloadFileTest, KeepsAFileThatAppearsMeanwhile) {
  auto options = Options();
  std::once_flag once;
  options.on_progress = [&](const Progress&) {
    std::call_once(once, [&] { static_cast<void>(directory_.Write("file", "another program's")); });
  };
  options.may_replace = false;
  EXPECT_TRUE(testing::FailsWith(DownloadListed(client_, object_, file_, options), ErrorCode::kAlreadyExists));
  ExpectWhole("another program's");
}

TEST_F(DownloadFileTest, ReplacesASymbolicLinkButNotItsTarget) {
  const std::string target = directory_.Write("target", "untouched");
  fs::create_symlink(target, file_);
  ASSERT_TRUE(DownloadListed(client_, object_, file_, Options()).ok());
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(file_)));
  EXPECT_EQ(ReadAll(target), "untouched");
  ExpectWhole();
}

TEST_F(DownloadFileTest, FollowsNoLinkInPlaceOfItsTemporaryFile) {
  const std::string target = directory_.Write("target", "untouched");
  fs::create_symlink(target, partial_);
  EXPECT_TRUE(testing::FailsWith(DownloadListed(client_, object_, file_, Options()), ErrorCode::kLocalIo));
  EXPECT_EQ(ReadAll(target), "untouched");
}

TEST_F(DownloadFileTest, NamesAnUnwritablePath) {
  fs::create_directory(file_);
  const std::string pipe = directory_.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), S_IRUSR | S_IWUSR), 0);
  struct Case {
    std::string path;
    ErrorCode want;
  };
  for (const Case& c : {Case{directory_.path() / "none" / "file", ErrorCode::kLocalIo},
                        Case{file_, ErrorCode::kLocalIo}, Case{"", ErrorCode::kInvalidArgument},
                        Case{file_ + "/", ErrorCode::kInvalidArgument}, Case{pipe, ErrorCode::kLocalIo},
                        Case{directory_.path() / std::string(256, 'n'), ErrorCode::kInvalidArgument}}) {
    const auto failed = DownloadListed(client_, object_, c.path, Options());
    ASSERT_TRUE(testing::FailsWith(failed, c.want)) << c.path;
    EXPECT_NE(failed.error().message.find('\''), std::string::npos) << failed.error().message;
  }
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST_F(DownloadFileTest, SupportsTheLongestFileName) {
  const fs::path path = directory_.path() / std::string(255, 'n');
  ASSERT_TRUE(DownloadListed(client_, object_, path, Options()).ok());
  EXPECT_TRUE(ReadAll(path) == Pattern(kSize));
}

TEST_F(DownloadFileTest, RefusesASecondDownloadOfOneFile) {
  Load({.covers_byte = 0}, {.type = "stall", .after_bytes = 1'000, .duration = seconds(3'600)});
  emulator_.clock().Freeze();
  std::stop_source stop;
  auto options = Options();
  options.stop = stop.get_token();
  const std::jthread first([&] { static_cast<void>(DownloadListed(client_, object_, file_, options)); });
  emulator_.clock().AwaitWaiters(1);
  const auto second = DownloadListed(client_, object_, file_, Options());
  stop.request_stop();
  ASSERT_TRUE(testing::FailsWith(second, ErrorCode::kLocalIo));
  EXPECT_NE(second.error().message.find("another download"), std::string::npos) << second.error().message;
}

TEST_F(DownloadFileTest, DoesNotPublishAnotherDownloadsPartialFile) {
  static_cast<void>(directory_.Write("file", "earlier"));
  const auto failed = DownloadListed(client_, object_, file_, ThatReplaceThePartialFile());
  ASSERT_TRUE(testing::FailsWith(failed, ErrorCode::kLocalIo));
  EXPECT_NE(failed.error().message.find("was removed, moved or replaced"), std::string::npos) << failed.error().message;
  EXPECT_EQ(ReadAll(file_), "earlier");
  EXPECT_EQ(ReadAll(partial_), kOthers);
}

TEST_F(DownloadFileTest, KeepsAnotherDownloadsPartialFile) {
  Load({.covers_byte = kSize - 1}, {.type = "status", .status = 404});
  const auto failed = DownloadListed(client_, object_, file_, ThatReplaceThePartialFile());
  EXPECT_EQ(Fired(), 1U);
  EXPECT_TRUE(testing::FailsWith(failed, ErrorCode::kNotFound));
  EXPECT_EQ(ReadAll(partial_), kOthers);
}

TEST_F(DownloadFileTest, FailsIfItsDirectoryIsMoved) {
  const fs::path place = directory_.path() / "place";
  const fs::path moved = directory_.path() / "moved";
  fs::create_directory(place);
  std::once_flag once;
  auto options = Options();
  options.on_progress = [&](const Progress&) {
    std::call_once(once, [&] {
      fs::rename(place, moved);
      fs::create_directory(place);
      std::ofstream(place / ".file.gcsflux-partial") << "another's";
    });
  };
  EXPECT_TRUE(testing::FailsWith(DownloadListed(client_, object_, place / "file", options), ErrorCode::kLocalIo));
  EXPECT_FALSE(fs::exists(place / "file"));
  EXPECT_EQ(ReadAll(place / ".file.gcsflux-partial"), "another's");
}

TEST_F(DownloadFileTest, KeepsLinksOfTheSystem) {
  for (const char* link : {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}) {
    EXPECT_TRUE(testing::FailsWith(DownloadListed(client_, object_, link, Options()), ErrorCode::kLocalIo)) << link;
    EXPECT_TRUE(fs::is_symlink(link));
  }
}

// After 17 of 24 MiB, the file cannot grow beyond 20 MiB, and nothing can be written after its bytes.
TEST_F(DownloadFileTest, KeepsThePartialFileIfTheDiskIsFull) {
  constexpr std::size_t kLarge = 24 * kRange;
  Store(Pattern(kLarge));
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  rlimit small = old;
  small.rlim_cur = 20 * kRange;
  const auto old_action = std::signal(SIGXFSZ, SIG_IGN);
  std::once_flag once;
  auto options = Options();
  options.max_concurrency = 1;
  options.on_progress = [&](const Progress& progress) {
    if (progress.bytes < 17 * kRange) return;
    std::call_once(once, [&] { ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0); });
  };
  const auto failed = DownloadListed(client_, object_, file_, options);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old), 0);
  std::signal(SIGXFSZ, old_action);
  EXPECT_TRUE(testing::FailsWith(failed, ErrorCode::kLocalIo));
  EXPECT_TRUE(fs::exists(partial_));
  const auto done = DownloadListed(client_, object_, file_, Options());
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_GE(KeptBytes(*done), 8 * kRange);
  ExpectWhole(Pattern(kLarge));
}

// Like a full disk, except for the system's error code.
TEST_F(DownloadFileTest, ReportsWhyAFileCannotGrow) {
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  rlimit small = old;
  small.rlim_cur = 2 * kRange + 100'000;
  const auto old_action = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  auto options = Options();
  options.max_concurrency = 1;
  const auto failed = DownloadListed(client_, object_, file_, options);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old), 0);
  std::signal(SIGXFSZ, old_action);
  ASSERT_TRUE(testing::FailsWith(failed, ErrorCode::kLocalIo));
  // Some file systems report it at the reservation, others at the write.
  EXPECT_NE(failed.error().message.find(".file.gcsflux-partial': File too large"), std::string::npos)
      << failed.error().message;
  EXPECT_FALSE(fs::exists(file_));
  ASSERT_TRUE(DownloadListed(client_, object_, file_, Options()).ok());
  ExpectWhole();
}

}  // namespace
}  // namespace gcsflux
