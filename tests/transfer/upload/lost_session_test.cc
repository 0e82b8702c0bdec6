// Uploads from memory and files survive the loss of their session; streams do not, and leave nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "client/client_core.h"
#include "gcsflux/upload.h"
#include "support/borrowed_transport.h"
#include "support/driven_timing.h"
#include "support/fails_with.h"
#include "support/fake_gcs.h"
#include "support/object_of.h"
#include "support/result.h"
#include "support/upload_case.h"

namespace gcsflux {
namespace {

using ::testing::HasSubstr;
using testing::kChunk;
using testing::kObject;
using testing::kReset;
using testing::Pattern;

class LostSessionTest : public ::testing::Test {
 protected:
  Result<ObjectMetadata> Upload(const std::string& bytes, UploadOptions options = {}) {
    options.chunk_bytes = kChunk;
    return UploadObject(client_, kObject, AsBytes(bytes), options);
  }

  int Starts() const {
    int count = 0;
    for (const auto& request : gcs_.requests) count += request.url.find("uploadType=resumable") != std::string::npos;
    return count;
  }

  testing::FakeGcs gcs_;
  Client client_ = testing::MakeClient(gcs_);
};

TEST_F(LostSessionTest, ResendsMemoryOverAnotherSession) {
  const std::string bytes = Pattern(3 * kChunk + 7);
  for (const int status : {404, 410, 499}) {
    for (std::size_t at = 1; at < 5; ++at) {
      gcs_.objects.clear();
      gcs_.requests.clear();
      gcs_.commits = 0;
      gcs_.faults.assign(at, {});
      gcs_.faults.push_back({.status = status});
      const auto stored = Upload(bytes, {.mode = WriteMode::kCreate});
      ASSERT_TRUE(stored.ok()) << status << " at " << at << ": " << stored.error().message;
      EXPECT_TRUE(gcs_.faults.empty());
      EXPECT_EQ(Starts(), 2);
      EXPECT_EQ(gcs_.commits, 1);
      EXPECT_TRUE(gcs_.objects["o"].bytes == bytes);
    }
  }
}

// Randomness that differs each time, as names of requests need it.
class ChangingTiming : public testing::DrivenTiming {
 public:
  [[nodiscard]] double Random() const override { return 1 - 1 / static_cast<double>(++drawn_ + 1); }

 private:
  mutable std::atomic<int> drawn_ = 0;
};

// Status queries of a session have none: the service must not answer the second one from memory.
TEST_F(LostSessionTest, GivesEachChangeItsOwnToken) {
  gcs_.faults = {{}, {.after = kReset}, {}, {.after = kReset}};
  const Client client = ClientOf(std::make_shared<const ClientCore>(
      ClientCore::Settings{.endpoint = "http://fake", .project = "p"},
      std::make_unique<testing::BorrowedTransport>(gcs_), std::make_unique<ChangingTiming>()));
  const std::string bytes = Pattern(3 * kChunk + 7);
  ASSERT_TRUE(UploadObject(client, kObject, AsBytes(bytes), {.chunk_bytes = kChunk}).ok());
  std::set<std::string> tokens;
  int status_queries = 0;
  for (const auto& request : gcs_.requests) {
    const std::string token(internal::FindHeader(request.headers, "x-goog-gcs-idempotency-token"));
    const bool is_query = internal::FindHeader(request.headers, "Content-Range") == "bytes */*";
    status_queries += is_query;
    EXPECT_EQ(token.empty(), is_query);
    if (!is_query) tokens.insert(token);
  }
  EXPECT_EQ(status_queries, 2);
  EXPECT_EQ(tokens.size(), gcs_.requests.size() - 2);
}

TEST_F(LostSessionTest, CountsRestarts) {
  gcs_.faults = {{}, {}, {.status = 410}};
  ASSERT_TRUE(Upload(Pattern(3 * kChunk)).ok());
  EXPECT_EQ(client_.counters().sessions_restarted, 1U);
}

TEST_F(LostSessionTest, EndsRestartsAtTheDeadline) {
  Client client = testing::MakeClient(gcs_, {.deadline = std::chrono::seconds(10)});
  // Every session accepts its first chunk, and is lost with the second.
  for (int i = 0; i < 1000; ++i) gcs_.faults.insert(gcs_.faults.end(), {{}, {}, {.status = 410}});
  const std::string bytes = Pattern(3 * kChunk);
  EXPECT_TRUE(testing::FailsWith(UploadObject(client, kObject, AsBytes(bytes), {.chunk_bytes = kChunk}),
                                 ErrorCode::kSessionLost, HasSubstr("attempts")));
  EXPECT_GT(Starts(), 2);
  EXPECT_FALSE(gcs_.faults.empty());
  EXPECT_TRUE(gcs_.objects.empty());
}

TEST_F(LostSessionTest, CountsRestartsAsAttempts) {
  Client client = testing::MakeClient(gcs_, {.max_attempts = 2});
  gcs_.faults = {{}, {}, {.status = 410}, {}, {}, {.status = 410}};
  const auto stored = UploadObject(client, kObject, AsBytes(Pattern(3 * kChunk)), {.chunk_bytes = kChunk});
  ASSERT_FALSE(stored.ok());
  EXPECT_EQ(Starts(), 2);
  EXPECT_TRUE(gcs_.faults.empty());
}

TEST_F(LostSessionTest, SucceedsIfTheSessionEndedAfterItsCommit) {
  const std::string bytes = Pattern(2 * kChunk + 7);
  for (const WriteMode mode : {WriteMode::kCreate, WriteMode::kOverwrite}) {
    gcs_.objects.clear();
    gcs_.requests.clear();
    gcs_.commits = 0;
    // Start, two chunks, the last piece's answer lost, and then the service no longer knows the session.
    gcs_.faults = {{}, {}, {}, {.after = kReset}, {.status = 404}};
    const auto stored = Upload(bytes, {.mode = mode});
    ASSERT_TRUE(stored.ok()) << stored.error().message;
    EXPECT_EQ(stored->generation, gcs_.objects["o"].generation);
    EXPECT_EQ(gcs_.commits, 1);
    EXPECT_EQ(Starts(), 1);
  }
}

TEST_F(LostSessionTest, FindsAStreamsCommitWithoutItsSession) {
  gcs_.faults = {{}, {}, {.after = kReset}, {.status = 410}};
  ObjectWriter writer(client_, kObject, {.chunk_bytes = kChunk, .path = WritePath::kOneStream});
  ASSERT_TRUE(writer.Write(AsBytes(Pattern(kChunk + 7))).ok());
  const auto stored = writer.Close();
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  EXPECT_EQ(gcs_.commits, 1);
}

TEST_F(LostSessionTest, RestartsConditionallyAfterAnUncertainCommit) {
  const std::string bytes = Pattern(kChunk + 7);
  gcs_.Put("o", "old");
  gcs_.now += std::chrono::hours(1);
  const std::int64_t old = gcs_.objects["o"].generation;
  gcs_.faults = {{}, {}, {.before = kReset}, {.status = 404}};
  ASSERT_TRUE(Upload(bytes).ok());
  EXPECT_TRUE(gcs_.objects["o"].bytes == bytes);
  std::string second_start;
  for (const auto& request : gcs_.requests) {
    if (request.url.find("uploadType=resumable") != std::string::npos) second_start = request.url;
  }
  EXPECT_THAT(second_start, HasSubstr("ifGenerationMatch=" + std::to_string(old)));
}

TEST_F(LostSessionTest, ContinuesFromPartlyPersistedChunks) {
  const std::string bytes = Pattern(4 * kChunk + 7);
  gcs_.faults = {{}, {.persist = 100'000}, {.persist = 1}, {}, {.persist = kChunk - 1}};
  ObjectWriter writer(client_, kObject, {.chunk_bytes = kChunk, .path = WritePath::kOneStream});
  for (std::size_t at = 0; at < bytes.size(); at += 300'007) {
    ASSERT_TRUE(writer.Write(AsBytes(std::string_view(bytes).substr(at, 300'007))).ok());
  }
  const auto stored = writer.Close();
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  EXPECT_TRUE(gcs_.faults.empty());
  EXPECT_TRUE(gcs_.objects["o"].bytes == bytes);
}

class UploadFileTest : public LostSessionTest {
 protected:
  static std::pair<std::int64_t, std::int64_t> StatusChangeOf(const std::string& path) {
    struct stat file {};
    EXPECT_EQ(::stat(path.c_str(), &file), 0);
    return {file.st_ctim.tv_sec, file.st_ctim.tv_nsec};
  }

  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "gcsflux-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
    path_ = (directory_ / "file").string();
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  void Write(const std::string& bytes, std::ios::openmode mode = std::ios::trunc) {
    std::ofstream(path_, std::ios::binary | std::ios::out | mode).write(bytes.data(), static_cast<long>(bytes.size()));
  }

  Result<ObjectMetadata> UploadIt() {
    return testing::ObjectOf(UploadFile(client_, path_, kObject, {.chunk_bytes = kChunk}));
  }

  std::filesystem::path directory_;
  std::string path_;
};

TEST_F(UploadFileTest, StoresFilesOfAnySize) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, kChunk, kChunk + 1, 3 * kChunk + 7}) {
    const std::string bytes = Pattern(size);
    Write(bytes);
    const auto stored = UploadIt();
    ASSERT_TRUE(stored.ok()) << size << ": " << stored.error().message;
    EXPECT_TRUE(gcs_.objects["o"].bytes == bytes) << size;
  }
}

TEST_F(UploadFileTest, RewindsWhenItsSessionIsLost) {
  const std::string bytes = Pattern(3 * kChunk + 7);
  Write(bytes);
  gcs_.faults = {{}, {}, {.status = 410}};
  ASSERT_TRUE(UploadIt().ok());
  EXPECT_TRUE(gcs_.faults.empty());
  EXPECT_EQ(Starts(), 2);
  EXPECT_TRUE(gcs_.objects["o"].bytes == bytes);
}

TEST_F(UploadFileTest, DetectsAChangedFile) {
  const auto shrink = [&] { std::filesystem::resize_file(path_, kChunk); };
  const auto grow = [&] { Write("more", std::ios::app); };
  const auto touch = [&] {
    std::filesystem::last_write_time(path_,
                                     std::filesystem::file_time_type::min() + std::chrono::hours(24 * 365 * 200));
  };
  // The modification time is set back. The time of the status change follows the clock, whose ticks may be long.
  const auto rewrite = [&] {
    const auto modified = std::filesystem::last_write_time(path_);
    const auto changed = StatusChangeOf(path_);
    do {
      Write("rewritten", std::ios::in);
      std::filesystem::last_write_time(path_, modified);
    } while (StatusChangeOf(path_) == changed);
  };
  for (const std::function<void()>& change : std::vector<std::function<void()>>{shrink, grow, touch, rewrite}) {
    Write(Pattern(3 * kChunk + 7));
    gcs_.requests.clear();
    gcs_.on_request = [&] {
      if (gcs_.requests.size() == 2) change();
    };
    EXPECT_TRUE(testing::FailsWith(UploadIt(), ErrorCode::kLocalIo, HasSubstr("changed")));
    EXPECT_TRUE(gcs_.objects.empty());
    EXPECT_TRUE(gcs_.sessions.empty());  // It was cancelled.
  }
}

TEST_F(UploadFileTest, NamesAnUnreadableFile) {
  EXPECT_EQ(testing::ErrorOf(UploadIt()).code, ErrorCode::kLocalIo);
  EXPECT_EQ(testing::ErrorOf(UploadFile(client_, directory_.string(), kObject)).code, ErrorCode::kLocalIo);
  EXPECT_EQ(testing::ErrorOf(UploadFile(client_, "/dev/null", kObject)).code, ErrorCode::kLocalIo);
  EXPECT_TRUE(gcs_.requests.empty());
}

}  // namespace
}  // namespace gcsflux
