// Uploads whose session is lost, or that another process finishes, as seen in the emulator's journal.
#include "gcsflux/upload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "gcsflux/emulator/emulator.h"
#include "gcsflux/emulator/journal_queries.h"
#include "support/load_fault.h"
#include "support/object_of.h"
#include "support/result.h"

namespace gcsflux {
namespace {

using std::chrono::milliseconds;

constexpr auto kBucket = "my-bucket";
constexpr std::size_t kMebibyte = 1 << 20;

std::string Pattern(std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 2'654'435'761U >> 24);
  return bytes;
}

class UploadIntegrationTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(client_.InsertBucket(kBucket)); }

  [[nodiscard]] std::size_t Requests(const std::string& phase) const {
    std::size_t count = 0;
    for (const auto& record : emulator_.journal()) count += record.phase == phase;
    return count;
  }

  // Of all sessions together: more than the object's size means that something was sent twice.
  [[nodiscard]] std::uint64_t BytesSent() const {
    std::uint64_t sent = 0;
    for (const auto& record : emulator_.journal()) {
      if (record.phase == "chunk" || record.phase == "final") sent += record.bytes_in;
    }
    return sent;
  }

  void ExpectStoredOnce(const std::string& bytes) {
    const auto stored = client_.ReadObject({kBucket, "new"});
    ASSERT_TRUE(stored.ok()) << stored.error().message;
    EXPECT_TRUE(*stored == bytes) << stored->size() << " bytes";
    EXPECT_EQ(emulator::FindCommits(emulator_.journal(), kBucket, "new").size(), 1U);
  }

  emulator::Emulator emulator_;
  Client client_ =
      *Client::Create({.endpoint = emulator_.endpoint(),
                       .project = "p",
                       .retry = RetryPolicies::All({.initial_delay = milliseconds(1), .max_delay = milliseconds(4)})});
};

TEST_F(UploadIntegrationTest, ResendsMemoryAndFilesOverASecondSession) {
  const std::string bytes = Pattern(3 * kMebibyte + 7);
  const std::string path = ::testing::TempDir() + "gcsflux-upload-" + std::to_string(::getpid());
  std::ofstream(path, std::ios::binary) << bytes;
  for (const bool is_file : {false, true}) {
    for (const std::uint64_t status : {404U, 410U}) {
      for (const char* phase : {"chunk", "final"}) {
        SCOPED_TRACE(std::string(is_file ? "file " : "memory ") + std::to_string(status) + " " + phase);
        emulator_.Reset();
        ASSERT_TRUE(client_.InsertBucket(kBucket));
        testing::LoadFault(emulator_, "it", {.operation = "storage.objects.insert", .phase = phase},
                           {.type = "loseSession", .status = status}, 1);
        const ObjectName object{kBucket, "new"};
        const UploadOptions options{.mode = WriteMode::kCreate, .chunk_bytes = kMebibyte};
        const auto stored = is_file ? testing::ObjectOf(UploadFile(client_, path, object, options))
                                    : UploadObject(client_, object, AsBytes(bytes), options);
        ASSERT_TRUE(stored.ok()) << stored.error().message;
        EXPECT_EQ(emulator_.faults().Fired("it"), 1U);
        EXPECT_EQ(Requests("start"), 2U);
        ExpectStoredOnce(bytes);
      }
    }
  }
  std::filesystem::remove(path);
}

TEST_F(UploadIntegrationTest, StoresItsAttributes) {
  const ObjectAttributes attributes{.content_type = "text/plain",
                                    .content_encoding = "identity",
                                    .cache_control = "no-store",
                                    .storage_class = "NEARLINE",
                                    .metadata = {{"k", "v"}}};
  for (const std::size_t size : {std::size_t{3}, 2 * kMebibyte}) {  // In one request, and over a session.
    const auto stored = UploadObject(client_, {kBucket, std::to_string(size)}, AsBytes(Pattern(size)),
                                     {.attributes = attributes, .chunk_bytes = kMebibyte});
    ASSERT_TRUE(stored.ok()) << stored.error().message;
    EXPECT_EQ(stored->content_type, "text/plain");
    EXPECT_EQ(stored->content_encoding, "identity");
    EXPECT_EQ(stored->cache_control, "no-store");
    EXPECT_EQ(stored->storage_class, "NEARLINE");
    EXPECT_EQ(stored->metadata.at("k"), "v");
  }
}

TEST_F(UploadIntegrationTest, ReportsProgress) {
  for (const std::size_t size : {std::size_t{300'000}, 3 * kMebibyte + 7}) {  // In one request, and over a session.
    std::vector<std::uint64_t> seen;
    const auto on_progress = [&](const Progress& progress) {
      EXPECT_EQ(progress.total, size);
      seen.push_back(progress.bytes);
    };
    ASSERT_TRUE(UploadObject(client_, {kBucket, "new"}, AsBytes(Pattern(size)),
                             {.chunk_bytes = kMebibyte, .on_progress = on_progress})
                    .ok());
    ASSERT_FALSE(seen.empty());
    EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
    EXPECT_EQ(seen.back(), size);
  }
}

TEST_F(UploadIntegrationTest, SurvivesALostSessionUnderACustomersKey) {
  const auto key = EncryptionKey::FromBytes(AsBytes(std::string(32, 'k')));
  ASSERT_TRUE(key.ok());
  const std::string bytes = Pattern(2 * kMebibyte + 7);
  emulator_.faults().Load(
      {.rules = {{.name = "lost",
                  .match = {.operation = "storage.objects.insert", .phase = "final"},
                  .action = {.type = "loseAnswer"},
                  .limits = {.count = 1}},
                 {.name = "gone", .match = {.phase = "status"}, .action = {.type = "status", .status = 410}}}});
  const auto stored =
      UploadObject(client_, {kBucket, "new"}, AsBytes(bytes), {.encryption_key = *key, .chunk_bytes = kMebibyte});
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  EXPECT_EQ(emulator_.faults().Fired("lost"), 1U);
  EXPECT_EQ(emulator_.faults().Fired("gone"), 1U);
  EXPECT_EQ(stored->customer_key_sha256, key->sha256());
  EXPECT_EQ(Requests("start"), 1U);  // It was read back: it was committed.
  EXPECT_EQ(emulator::FindCommits(emulator_.journal(), kBucket, "new").size(), 1U);
}

// The second process: this test program, started with the emulator's address and the state in its environment.
TEST(UploadSecondProcess, FinishesTheUpload) {
  const char* const endpoint = std::getenv("GCSFLUX_TEST_ENDPOINT");
  const char* const state = std::getenv("GCSFLUX_TEST_STATE");
  if (endpoint == nullptr || state == nullptr) GTEST_SKIP() << "it is run by UploadIntegrationTest";
  const auto client = Client::Create({.endpoint = endpoint});
  ASSERT_TRUE(client.ok());
  auto writer = ObjectWriter::Resume(*client, state);
  ASSERT_TRUE(writer.ok()) << writer.error().message;
  const std::string bytes = Pattern(4 * kMebibyte + 7);
  ASSERT_TRUE(writer->Write(AsBytes(std::string_view(bytes).substr(writer->position()))).ok());
  const auto stored = writer->Close();
  ASSERT_TRUE(stored.ok()) << stored.error().message;
}

TEST_F(UploadIntegrationTest, ResumesASuspendedUploadInASecondProcess) {
  const std::string bytes = Pattern(4 * kMebibyte + 7);
  ObjectWriter writer(client_, {kBucket, "new"},
                      {.mode = WriteMode::kCreate, .chunk_bytes = kMebibyte, .path = WritePath::kOneStream});
  ASSERT_TRUE(writer.Write(AsBytes(std::string_view(bytes).substr(0, 2 * kMebibyte + 100))).ok());
  const auto state = writer.Suspend();
  ASSERT_TRUE(state.ok()) << state.error().message;
  EXPECT_EQ(testing::ErrorOf(client_.GetObject({kBucket, "new"})).code, ErrorCode::kNotFound);

  ASSERT_EQ(::setenv("GCSFLUX_TEST_ENDPOINT", emulator_.endpoint().c_str(), 1), 0);
  ASSERT_EQ(::setenv("GCSFLUX_TEST_STATE", state->c_str(), 1), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl("/proc/self/exe", "second-process", "--gtest_filter=UploadSecondProcess.*", nullptr);
    ::_exit(127);
  }
  ::unsetenv("GCSFLUX_TEST_STATE");
  ASSERT_GT(child, 0);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  ExpectStoredOnce(bytes);
  EXPECT_EQ(Requests("start"), 1U);
  EXPECT_EQ(BytesSent(), bytes.size());
}

TEST_F(UploadIntegrationTest, SendsALargeBufferAsParts) {
  const std::string bytes = Pattern(kLeastParallelUpload + 1);
  std::vector<std::uint64_t> progress;
  const UploadOptions options{.mode = WriteMode::kCreate,
                              .on_progress = [&](const Progress& now) { progress.push_back(now.bytes); }};
  const auto stored = UploadObject(client_, {kBucket, "new"}, AsBytes(bytes), options);
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  EXPECT_GE(Requests("part"), 3U);
  ExpectStoredOnce(bytes);
  ASSERT_FALSE(progress.empty());
  EXPECT_TRUE(std::ranges::is_sorted(progress));
  EXPECT_EQ(progress.back(), bytes.size());
  EXPECT_TRUE(ListPrefix(client_, {kBucket, "gcsflux-uploads/"})->objects.empty());
  const auto refused = UploadObject(client_, {kBucket, "new"}, AsBytes(bytes), options);
  EXPECT_EQ(testing::ErrorOf(refused).code, ErrorCode::kPreconditionFailed);
}

TEST_F(UploadIntegrationTest, AcceptsAStateOnlyForFiles) {
  for (const UploadOptions& options :
       {UploadOptions{.state = "state"}, UploadOptions{.save_state = [](const auto&) {}}}) {
    const auto stored = UploadObject(client_, {kBucket, "new"}, AsBytes("bytes"), options);
    EXPECT_EQ(testing::ErrorOf(stored).code, ErrorCode::kInvalidArgument);
  }
}

TEST_F(UploadIntegrationTest, ResumesAfterAnOutage) {
  const std::string bytes = Pattern(4 * kMebibyte + 7);
  ObjectWriter writer(
      client_, {kBucket, "new"},
      {.chunk_bytes = kMebibyte, .call = {.retry = RetryOptions{.max_attempts = 1}}, .path = WritePath::kOneStream});
  // The chunk is stored, and its answer is lost.
  testing::LoadFault(emulator_, "it", {.operation = "storage.objects.insert", .phase = "chunk", .nth = 2},
                     {.type = "loseAnswer"});
  EXPECT_FALSE(writer.Write(AsBytes(bytes)).ok());
  EXPECT_EQ(emulator_.faults().Fired("it"), 1U);
  const auto state = writer.Suspend();
  ASSERT_TRUE(state.ok()) << state.error().message;
  auto resumed = ObjectWriter::Resume(client_, *state);
  ASSERT_TRUE(resumed.ok()) << resumed.error().message;
  EXPECT_EQ(resumed->position(), kMebibyte);
  ASSERT_TRUE(resumed->Write(AsBytes(std::string_view(bytes).substr(kMebibyte))).ok());
  const auto stored = resumed->Close();
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  ExpectStoredOnce(bytes);
  EXPECT_EQ(BytesSent(), bytes.size());
}

}  // namespace
}  // namespace gcsflux
