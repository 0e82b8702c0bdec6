// Uploads of more than one request, with an event between each two of them: a rival, a lost answer, a changed file, a
// stop. No bytes are mixed, no rival's object is replaced, and the error tells whether the object was stored.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <ostream>
#include <stop_token>
#include <string>
#include <vector>

#include "gcsflux/emulator/emulator.h"
#include "gcsflux/emulator/journal_queries.h"
#include "gcsflux/upload.h"
#include "support/after_nth_request.h"
#include "support/load_fault.h"
#include "support/result.h"
#include "support/test_directory.h"
#include "support/upload_case.h"
#include "support/upload_leftovers.h"
#include "transfer/upload/multipart_upload.h"
#include "transfer/upload/upload_source.h"

namespace gcsflux {
namespace {

using testing::AfterNthRequest;
using testing::kChunk;
using testing::kObject;
using testing::kPart;
using testing::Pattern;

struct UploadWay {
  std::string name;
  std::size_t size = 0;
  std::function<Result<ObjectMetadata>(const Client&, const std::string& path, const std::string& bytes,
                                       const UploadOptions&)>
      store = {};
};

void PrintTo(const UploadWay& way, std::ostream* out) { *out << way.name; }

const UploadWay kOneRequestWay{
    .name = "OneRequest",
    .size = 1000,
    .store = [](const Client& client, const auto&, const auto& bytes, const UploadOptions& options) {
      return UploadObject(client, kObject, AsBytes(bytes), options);
    }};
const UploadWay kSessionWay{.name = "Session", .size = 2 * kChunk + 7, .store = kOneRequestWay.store};
const UploadWay kStreamWay{
    .name = "Stream",
    .size = 2 * kChunk + 7,
    .store = [](const Client& client, const auto&, const auto& bytes, UploadOptions options) -> Result<ObjectMetadata> {
      options.path = WritePath::kOneStream;
      ObjectWriter writer(client, kObject, options);
      if (auto written = writer.Write(AsBytes(bytes)); !written) return written.error();
      return writer.Close();
    }};
const UploadWay kPartsWay{
    .name = "PartsAndCompose",
    .size = kPart + 7,
    .store = [](const Client& client, const auto&, const auto& bytes, UploadOptions options) -> Result<ObjectMetadata> {
      options.path = WritePath::kParallel;
      options.part_bytes = kPart;
      options.max_concurrency = 1;
      ObjectWriter writer(client, kObject, options);
      if (auto written = writer.Write(AsBytes(bytes)); !written) return written.error();
      return writer.Close();
    }};
const UploadWay kFileWay{.name = "File",
                         .size = 2 * kChunk + 7,
                         .store = [](const Client& client, const auto& path, const auto&,
                                     const UploadOptions& options) -> Result<ObjectMetadata> {
                           const auto stored = UploadFile(client, path, kObject, options);
                           if (!stored) return stored.error();
                           return stored->object;
                         }};

class UploadGapsTest : public ::testing::TestWithParam<UploadWay> {
 protected:
  // Stores once for each gap between two requests, and after the last one, and checks the result. `act` happens in the
  // gap; `prepare` receives the number of the request before it.
  void ForEachGap(const UploadOptions& options, const std::function<void()>& act,
                  const std::function<void(const Result<ObjectMetadata>&)>& check,
                  const std::function<void(int)>& prepare = {}) {
    int gap = 1;
    for (bool was_called = true; was_called; ++gap) {
      SCOPED_TRACE("after request " + std::to_string(gap));
      emulator_.Reset();
      ASSERT_TRUE(rival_.InsertBucket("bkt"));
      path_ = directory_.Write("file", bytes_);
      others_.clear();
      if (prepare) prepare(gap);
      const auto listener = std::make_shared<AfterNthRequest>(gap, act);
      stop_ = std::stop_source();
      UploadOptions of_gap = options;
      of_gap.chunk_bytes = kChunk;
      of_gap.stop = stop_.get_token();
      const auto stored = GetParam().store(MakeClient(listener), path_, bytes_, of_gap);
      was_called = listener->was_called();
      if (was_called) {
        ExpectOutcome(stored);
        check(stored);
      }
    }
    EXPECT_GE(gap, 3) << "there was no gap";
  }

  // The reported outcome is true.
  void ExpectOutcome(const Result<ObjectMetadata>& stored) const {
    const WriteOutcome outcome = stored ? WriteOutcome::kStored : stored.error().outcome;
    if (outcome == WriteOutcome::kUnknown) return;
    auto commits = emulator::FindCommits(emulator_.journal(), "bkt", kObject.name);
    std::erase_if(commits, [&](std::int64_t one) { return std::ranges::count(others_, one) > 0; });
    EXPECT_EQ(!commits.empty(), outcome == WriteOutcome::kStored) << testing::ErrorOf(stored).message;
    EXPECT_LE(commits.size(), 1U);
  }
  void WriteAsRival() { Put("a rival's"); }
  void Put(const std::string& bytes) {
    const auto written = rival_.InsertObject(kObject, AsBytes(bytes));
    ASSERT_TRUE(written.ok()) << testing::ErrorOf(written).message;
    others_.push_back(written->generation);
  }
  [[nodiscard]] std::string Live() const { return rival_.ReadObject(kObject).value(); }
  void LoseAnswerOf(int number) {
    testing::LoadFault(emulator_, "lost", {.nth = static_cast<std::uint64_t>(number)}, {.type = "loseAnswer"}, 1);
  }
  void ExpectLost() {
    EXPECT_EQ(emulator_.faults().Fired("lost"), 1U);
    emulator_.faults().Clear();
  }

  // A status change is visible if the clock of the file system has moved on.
  void RewriteFile() {
    const auto fingerprint = [this] { return (*internal::FileSource(path_))->Fingerprint(); };
    const std::string before = fingerprint();
    const auto modified = std::filesystem::last_write_time(path_);
    do {
      path_ = directory_.Write("file", other_);
      std::filesystem::last_write_time(path_, modified);
    } while (fingerprint() == before);
  }

  [[nodiscard]] Client MakeClient(std::shared_ptr<EventListener> listener = {}) const {
    return *Client::Create({.endpoint = emulator_.endpoint(),
                            .project = "p",
                            .retry = RetryPolicies::All({.initial_delay = std::chrono::milliseconds(1),
                                                         .max_delay = std::chrono::milliseconds(2)}),
                            .hedge_budget = 0,
                            .event_listener = std::move(listener)});
  }

  const std::string bytes_ = Pattern(GetParam().size);
  const std::string other_ = std::string(GetParam().size, 'o');
  emulator::Emulator emulator_{{.idempotency_window = std::chrono::seconds(0)}};
  const Client rival_ = MakeClient();
  std::vector<std::int64_t> others_;  // Generations that the upload did not make.
  std::stop_source stop_;
  const testing::TestDirectory directory_;
  std::string path_;
};

TEST_P(UploadGapsTest, SurvivesALostAnswer) {
  ForEachGap(
      {}, [] {},
      [&](const auto& stored) {
        ExpectLost();
        EXPECT_TRUE(stored.ok()) << testing::ErrorOf(stored).message;
        EXPECT_TRUE(Live() == bytes_);
      },
      [&](int number) { LoseAnswerOf(number); });
}

TEST_P(UploadGapsTest, KeepsARivalsObject) {
  ForEachGap(
      {.mode = WriteMode::kCreate}, [&] { WriteAsRival(); }, [&](const auto&) { EXPECT_EQ(Live(), "a rival's"); });
}

TEST_P(UploadGapsTest, KeepsARivalsObjectAfterALostAnswer) {
  ForEachGap(
      {.mode = WriteMode::kCreate}, [&] { WriteAsRival(); },
      [&](const auto&) {
        ExpectLost();
        EXPECT_EQ(Live(), "a rival's");
      },
      [&](int number) { LoseAnswerOf(number); });
}

TEST_P(UploadGapsTest, LeavesNothingOrAWholeObjectAfterAStop) {
  ForEachGap(
      {}, [&] { stop_.request_stop(); },
      [&](const auto& stored) {
        EXPECT_TRUE(stored.ok() || stored.error().code == ErrorCode::kCancelled) << testing::ErrorOf(stored).message;
        const auto read = rival_.ReadObject(kObject);
        EXPECT_TRUE(!read || *read == bytes_);
        testing::ExpectNothingLeft(rival_);
      });
}

INSTANTIATE_TEST_SUITE_P(Each, UploadGapsTest,
                         ::testing::Values(kOneRequestWay, kSessionWay, kStreamWay, kPartsWay, kFileWay),
                         [](const auto& way) { return way.param.name; });

class FileGapsTest : public UploadGapsTest {};

TEST_P(FileGapsTest, DoesNotMixAChangedFile) {
  int changes = 0;
  ForEachGap(
      {}, [&] { RewriteFile(); },
      [&](const auto& stored) {
        const auto read = rival_.ReadObject(kObject);
        EXPECT_EQ(stored.ok(), read.ok()) << testing::ErrorOf(stored).message;
        EXPECT_TRUE(!read || *read == bytes_);
        if (stored.ok()) return;
        EXPECT_EQ(stored.error().code, ErrorCode::kLocalIo) << stored.error().message;
        testing::ExpectNothingLeft(rival_);
        ++changes;
      });
  EXPECT_GE(changes, 1);
}

INSTANTIATE_TEST_SUITE_P(File, FileGapsTest, ::testing::Values(kFileWay),
                         [](const auto& way) { return way.param.name; });

// The first attempt to commit does not arrive. Later requests name the generation that the read-back found.
class CommitGapsTest : public UploadGapsTest {};

TEST_P(CommitGapsTest, KeepsARivalsObjectAfterTheCheck) {
  const bool is_compose = GetParam().name == kPartsWay.name;
  const std::string operation = is_compose ? "storage.objects.compose" : "storage.objects.insert";
  const auto has_lost = [&] { return emulator_.faults().Fired("reset") == 1; };
  bool has_written = false;
  int rivals = 0;
  ForEachGap(
      {},
      [&] {
        has_written = has_lost();
        if (has_written) WriteAsRival();
      },
      [&](const auto&) {
        if (!has_written) return;
        EXPECT_EQ(Live(), "a rival's");
        ++rivals;
      },
      [&](int) {
        has_written = false;
        Put("old");
        emulator_.clock().Advance(std::chrono::hours(1));
        testing::LoadFault(emulator_, "reset", {.operation = operation}, {.type = "reset"}, 1);
      });
  EXPECT_GE(rivals, 2) << "before the read-back, and after it";
}

INSTANTIATE_TEST_SUITE_P(Each, CommitGapsTest, ::testing::Values(kOneRequestWay, kPartsWay),
                         [](const auto& way) { return way.param.name; });

}  // namespace
}  // namespace gcsflux
