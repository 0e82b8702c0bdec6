#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <stop_token>
#include <string>
#include <utility>

#include "gcsflux/emulator/emulator.h"
#include "gcsflux/emulator/journal_queries.h"
#include "gcsflux/upload.h"
#include "support/result.h"
#include "support/test_directory.h"
#include "support/upload_case.h"
#include "support/upload_leftovers.h"
#include "transfer/upload/multipart_upload.h"

namespace gcsflux::testing {

constexpr std::uint64_t kFilePart = 5U << 20;

/// A file of eight parts, and the state of its upload, which the test's saver keeps.
class ResumableFileCase : public ::testing::Test {
 protected:
  static constexpr std::size_t kParts = 8;

  static const std::string& Content() {
    static const std::string content = Pattern(7 * kFilePart + 3);
    return content;
  }

  void SetUp() override {
    ASSERT_TRUE(client_.InsertBucket("bkt"));
    options_.part_bytes = kFilePart;
    options_.max_concurrency = 1;
    options_.save_state = [this](const std::string& state) { state_ = state; };
  }

  Result<UploadReport> Upload() {
    options_.state = state_;
    return UploadFile(client_, path_, kObject, options_);
  }

  /// The upload is stopped once this many parts are sent.
  void StopAfter(std::uint64_t parts) {
    stop_ = std::stop_source();
    options_.stop = stop_.get_token();
    options_.on_progress = [this, parts](const Progress& progress) {
      if (progress.bytes >= parts * kFilePart) stop_.request_stop();
    };
  }
  void GoOn() {
    options_.stop = {};
    options_.on_progress = {};
  }

  void LoadFault(emulator::FaultMatch match, emulator::FaultAction action) {
    emulator_.faults().Load(
        {.rules = {{.name = "it", .match = std::move(match), .action = std::move(action), .limits = {.count = 1}}}});
  }

  [[nodiscard]] std::size_t Requests(const std::string& phase) const {
    const auto records = emulator_.journal();
    return static_cast<std::size_t>(
        std::ranges::count_if(records, [&](const auto& record) { return record.phase == phase; }));
  }

  void AbortUploads() {
    const auto uploads = ListMultipartUploads(client_, {"bkt", ""});
    ASSERT_TRUE(uploads.ok());
    EXPECT_EQ(uploads->size(), 1U);
    for (const OngoingUpload& upload : *uploads) EXPECT_TRUE(AbortMultipartUpload(client_, upload));
  }

  /// Stored once, without temporary objects.
  void ExpectStored(const std::string& bytes) {
    EXPECT_TRUE(client_.ReadObject(kObject).value() == bytes);
    EXPECT_EQ(emulator::FindCommits(emulator_.journal(), "bkt", kObject.name).size(), 1U);
    ExpectNothingLeft(client_);
  }

  /// The file has changed since the interrupted call.
  void ExpectStartsAgainWith(const std::string& other) {
    path_ = directory_.Write("file", other);
    const auto stored = Upload();
    ASSERT_TRUE(stored.ok()) << ErrorOf(stored).message;
    EXPECT_EQ(stored->kept_bytes, 0U);
    ExpectStored(other);
  }

  emulator::Emulator emulator_{{.idempotency_window = std::chrono::seconds(0)}};
  const Client client_ = *Client::Create({.endpoint = emulator_.endpoint(),
                                          .project = "p",
                                          .retry = RetryPolicies::All({.initial_delay = std::chrono::milliseconds(1),
                                                                       .max_delay = std::chrono::milliseconds(4)})});
  TestDirectory directory_;
  std::string path_ = directory_.Write("file", Content());
  UploadOptions options_;
  std::string state_;
  std::stop_source stop_;
};

}  // namespace gcsflux::testing
