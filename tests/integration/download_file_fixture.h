#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <string>

#include "gcsflux/download_file.h"
#include "gcsflux/emulator/emulator.h"
#include "support/test_directory.h"
#include "support/upload_case.h"

namespace gcsflux {

inline constexpr std::uint64_t kRange = 1U << 20;
inline constexpr std::uint64_t kMiddle = 2 * kRange + 500'000;
inline constexpr std::size_t kSize = 4 * kRange + 12'345;

// What was in the file from an earlier download.
inline std::uint64_t KeptBytes(const ReadSummary& downloaded) { return downloaded.object_size - downloaded.bytes; }

inline std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class DownloadFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(client_.InsertBucket("bkt").ok());
    Store(testing::Pattern(kSize));
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
        std::filesystem::remove(partial_);
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
    ASSERT_TRUE(std::filesystem::exists(partial_));
    ASSERT_FALSE(std::filesystem::exists(file_));
  }

  void ExpectWhole(const std::string& bytes = testing::Pattern(kSize)) const {
    EXPECT_TRUE(ReadAll(file_) == bytes) << file_;
    EXPECT_FALSE(std::filesystem::exists(partial_));
  }

  const ObjectName kObject{"bkt", "o"};
  const std::string kOthers = "incomplete bytes of another download";
  std::once_flag replaced_;
  emulator::Emulator emulator_;
  Client client_ = *Client::Create({.endpoint = emulator_.endpoint(), .project = "p", .hedge_budget = 0});
  DownloadSource object_;
  testing::TestDirectory directory_;
  const std::string file_ = directory_.path() / "file";
  const std::filesystem::path partial_ = directory_.path() / ".file.gcsflux-partial";
};

}  // namespace gcsflux
