// XML multipart uploads against the emulator: parts from many threads, every fault, and nothing left behind.
#include "transfer/upload/multipart_upload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "gcsflux/emulator/emulator.h"
#include "gcsflux/emulator/journal_queries.h"
#include "support/fails_with.h"
#include "support/load_fault.h"
#include "support/raw_server.h"
#include "support/result.h"
#include "support/upload_in_parts.h"

namespace gcsflux {
namespace {

using emulator::FaultAction;
using std::chrono::milliseconds;
using ::testing::HasSubstr;

constexpr auto kBucket = "my-bucket";
constexpr std::size_t kPart = 5 << 20;
const ObjectName kObject{kBucket, "a/b c"};

const std::string& Content() {
  static const std::string content = [] {
    std::string bytes(3 * kPart + 7, '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 2'654'435'761U >> 24);
    return bytes;
  }();
  return content;
}

std::span<const std::byte> PartOf(const std::string& bytes, int number) {
  return AsBytes(std::string_view(bytes).substr(static_cast<std::size_t>(number - 1) * kPart, kPart));
}

class MultipartUploadTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(client_.InsertBucket(kBucket)); }

  // The uploads that the service still has.
  [[nodiscard]] std::size_t OpenUploads() const {
    std::size_t started = 0;
    std::size_t ended = 0;
    for (const auto& record : emulator_.journal()) {
      const bool is_done = record.status >= 200 && record.status < 300;
      started += record.phase == "initiate" && is_done;
      ended += (record.phase == "complete" || record.phase == "abort") && is_done;
    }
    return started - ended;
  }

  void ExpectStoredOnce(const std::string& bytes) {
    const auto stored = client_.ReadObject(kObject);
    ASSERT_TRUE(stored.ok()) << stored.error().message;
    EXPECT_TRUE(*stored == bytes) << stored->size() << " bytes";
    EXPECT_EQ(emulator::FindCommits(emulator_.journal(), kBucket, kObject.name).size(), 1U);
  }

  // The fault of the first request of that phase.
  void ForEach(const std::vector<FaultAction>& faults, const std::string& phase, const std::function<void()>& run) {
    for (const FaultAction& action : faults) {
      SCOPED_TRACE(phase + " " + action.type + " " + std::to_string(action.status.value_or(0)));
      emulator_.Reset();
      ASSERT_TRUE(client_.InsertBucket(kBucket));
      emulator_.faults().Load(
          {.rules = {{.name = "it", .match = {.phase = phase}, .action = action, .limits = {.count = 1}}}});
      run();
      EXPECT_EQ(emulator_.faults().Fired("it"), 1U);
    }
  }

  emulator::Emulator emulator_{{.idempotency_window = std::chrono::seconds(0)}};
  Client client_ =
      *Client::Create({.endpoint = emulator_.endpoint(),
                       .project = "p",
                       .retry = RetryPolicies::All({.initial_delay = milliseconds(1), .max_delay = milliseconds(4)})});
  const testing::PartsOptions parallel_{.part_bytes = kPart, .max_concurrency = 4};
};

TEST_F(MultipartUploadTest, JoinsPartsByNumber) {
  auto upload = MultipartUpload::Start(
      client_, kObject,
      {.attributes = {.content_type = "text/plain", .cache_control = "no-store", .metadata = {{"k", "v"}}}});
  ASSERT_TRUE(upload.ok()) << upload.error().message;
  {
    std::vector<std::jthread> threads;
    for (int number = 4; number >= 1; --number) {
      threads.emplace_back([&, number] { EXPECT_TRUE(upload->UploadPart(number, PartOf(Content(), number)).ok()); });
    }
  }
  const auto parts = upload->ListParts();
  ASSERT_TRUE(parts.ok()) << parts.error().message;
  ASSERT_EQ(parts->size(), 4U);
  EXPECT_EQ(parts->back().number, 4);
  EXPECT_EQ(parts->back().size, 7U);
  EXPECT_EQ(testing::ErrorOf(client_.GetObject(kObject)).code, ErrorCode::kNotFound);
  const auto stored = upload->Complete();
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  EXPECT_EQ(stored->size, Content().size());
  EXPECT_EQ(stored->content_type, "text/plain");
  EXPECT_EQ(stored->cache_control, "no-store");
  EXPECT_EQ(stored->metadata.at("k"), "v");
  ExpectStoredOnce(Content());
  EXPECT_EQ(testing::ErrorOf(upload->UploadPart(5, {})).code, ErrorCode::kInvalidArgument);
}

TEST_F(MultipartUploadTest, StoresAnySize) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, kPart, kPart + 1, Content().size()}) {
    const std::string bytes = Content().substr(0, size);
    const auto stored = testing::UploadInParts(client_, kObject, AsBytes(bytes), parallel_);
    ASSERT_TRUE(stored.ok()) << size << ": " << stored.error().message;
    const auto read = client_.ReadObject(kObject);
    EXPECT_TRUE(read.ok() && *read == bytes) << size;
  }
  EXPECT_EQ(OpenUploads(), 0U);
}

TEST_F(MultipartUploadTest, StoresUnderACustomersKey) {
  const auto key = EncryptionKey::FromBytes(AsBytes(std::string(32, 'k')));
  ASSERT_TRUE(key.ok());
  testing::PartsOptions options = parallel_;
  options.multipart.encryption_key = *key;
  const auto stored = testing::UploadInParts(client_, kObject, AsBytes(Content()), options);
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  EXPECT_EQ(stored->customer_key_sha256, key->sha256());
  EXPECT_FALSE(client_.ReadObject(kObject).ok());
  const auto read = client_.ReadObject(kObject, {.encryption_key = *key});
  EXPECT_TRUE(read.ok() && *read == Content());
}

TEST_F(MultipartUploadTest, SendsPartsInParallel) {
  emulator_.shaping().Set({.write_first_byte_ms = 50});
  ASSERT_TRUE(testing::UploadInParts(client_, kObject, AsBytes(Content()), parallel_).ok());
  EXPECT_GE(emulator::FindMostInFlight(emulator_.journal()).requests, 2U);
}

std::vector<FaultAction> WhatPasses() {
  std::vector<FaultAction> faults = {{.type = "reset"}, {.type = "loseAnswer"}};
  for (const std::uint64_t status : {408U, 429U, 500U, 502U, 503U, 504U}) {
    faults.push_back({.type = "status", .status = status});
  }
  return faults;
}

TEST_F(MultipartUploadTest, CommitsOnceUnderFaults) {
  for (const char* phase : {"initiate", "part", "complete"}) {
    ForEach(WhatPasses(), phase, [&] {
      const auto stored = testing::UploadInParts(client_, kObject, AsBytes(Content()), parallel_);
      ASSERT_TRUE(stored.ok()) << stored.error().message;
      EXPECT_EQ(stored->size, Content().size());
      ExpectStoredOnce(Content());
    });
  }
}

TEST_F(MultipartUploadTest, ResendsABrokenPart) {
  ForEach({{.type = "failUpload", .status = 503, .after_bytes = kPart / 2}}, "part", [&] {
    ASSERT_TRUE(testing::UploadInParts(client_, kObject, AsBytes(Content()), parallel_).ok());
    ExpectStoredOnce(Content());
  });
}

TEST_F(MultipartUploadTest, LeavesNothingBehindAfterAFailure) {
  for (const std::uint64_t status : {400U, 403U}) {
    emulator_.Reset();
    ASSERT_TRUE(client_.InsertBucket(kBucket));
    // Always: an answer that is sent before the whole part has arrived can be lost with its connection.
    testing::LoadFault(emulator_, "it", {.phase = "part"}, {.type = "status", .status = status});
    const auto stored = testing::UploadInParts(client_, kObject, AsBytes(Content()), parallel_);
    ASSERT_FALSE(stored.ok());
    EXPECT_GE(emulator_.faults().Fired("it"), 1U);
    EXPECT_THAT(stored.error().message, HasSubstr("part "));
    EXPECT_EQ(testing::ErrorOf(client_.GetObject(kObject)).code, ErrorCode::kNotFound);
    EXPECT_EQ(OpenUploads(), 0U);
  }
}

TEST_F(MultipartUploadTest, LeavesNothingBehindAfterACancellation) {
  std::stop_source stop;
  testing::LoadFault(emulator_, "it", {.phase = "part", .nth = 2},
                     {.type = "stallUpload", .after_bytes = 1, .duration = std::chrono::hours(1)});
  testing::PartsOptions options = parallel_;
  options.multipart.stop = stop.get_token();
  const std::jthread canceller([&] {
    while (emulator_.faults().Fired("it") == 0) std::this_thread::yield();
    stop.request_stop();
  });
  EXPECT_TRUE(
      testing::FailsWith(testing::UploadInParts(client_, kObject, AsBytes(Content()), options), ErrorCode::kCancelled));
  EXPECT_EQ(OpenUploads(), 0U);
}

TEST_F(MultipartUploadTest, DetectsAFlippedBit) {
  ForEach({{.type = "corruptUpload", .at_byte = 7}}, "part", [&] {
    EXPECT_TRUE(testing::FailsWith(testing::UploadInParts(client_, kObject, AsBytes(Content()), parallel_),
                                   ErrorCode::kCorrupted));
    EXPECT_EQ(OpenUploads(), 0U);
  });
}

// A service that reports right checksums of the parts, and joins other bytes. Uploads to it; returns the error and the
// requests.
std::pair<Error, std::vector<std::string>> UploadAndSpoil(const std::string& completed_header) {
  std::mutex mutex;
  std::vector<std::string> requests;
  testing::RawServer server([&](testing::RawServer::Connection& connection) {
    for (std::string head; !(head = connection.ReadHead()).empty();) {
      const std::string line = head.substr(0, head.find(" HTTP/"));
      const std::string::size_type length = head.find("Content-Length: ");
      if (length != std::string::npos) connection.Read(std::stoul(head.substr(length + 16)));
      {
        const std::scoped_lock lock(mutex);
        requests.push_back(line);
      }
      std::string headers;
      std::string body;
      if (line.ends_with("?uploads")) {
        body = "<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>";
      } else if (line.starts_with("PUT ")) {
        headers = "ETag: \"e\"\r\n";
      } else if (line.starts_with("POST ")) {
        headers = completed_header;
        body = "<CompleteMultipartUploadResult/>";
      } else if (line.starts_with("GET ")) {
        body = R"({"bucket":"bkt","name":"o","generation":"5","size":"3","crc32c":"AAAAAA=="})";
      }
      std::ostringstream answer;
      answer << "HTTP/1.1 200 OK\r\n" << headers << "Content-Length: " << body.size() << "\r\n\r\n" << body;
      connection.Send(answer.str());
    }
  });
  const auto client = Client::Create({.endpoint = server.endpoint()});
  const auto stored = testing::UploadInParts(*client, {"bkt", "o"}, AsBytes("abc"));
  const std::scoped_lock lock(mutex);
  return {stored ? Error{ErrorCode::kAborted, "it has succeeded"} : stored.error(), requests};
}

TEST(MultipartUploadOfRawServer, DeletesBytesThatTheServiceCorrupted) {
  const auto [error, requests] = UploadAndSpoil("x-goog-generation: 5\r\n");
  EXPECT_EQ(error.code, ErrorCode::kCorrupted) << error.message;
  EXPECT_EQ(requests.back(), "DELETE /storage/v1/b/bkt/o/o?generation=5");
}

// The live object may be a rival's.
TEST(MultipartUploadOfRawServer, KeepsAnUnnamedGeneration) {
  const auto [error, requests] = UploadAndSpoil("");
  EXPECT_EQ(error.code, ErrorCode::kCorrupted) << error.message;
  EXPECT_NE(error.message.find("generation 5, which is live, holds other bytes"), std::string::npos) << error.message;
  EXPECT_TRUE(requests.back().starts_with("GET ")) << requests.back();
}

TEST_F(MultipartUploadTest, IsAbortedWhenItIsDropped) {
  {
    auto upload = MultipartUpload::Start(client_, kObject);
    ASSERT_TRUE(upload.ok());
    ASSERT_TRUE(upload->UploadPart(1, AsBytes("x")).ok());
    EXPECT_EQ(OpenUploads(), 1U);
  }
  EXPECT_EQ(OpenUploads(), 0U);
}

TEST_F(MultipartUploadTest, ReportsAMissingUpload) {
  auto upload = MultipartUpload::Start(client_, kObject);
  ASSERT_TRUE(upload.ok());
  ASSERT_TRUE(upload->UploadPart(1, AsBytes("x")).ok());
  emulator_.Reset();
  ASSERT_TRUE(client_.InsertBucket(kBucket));
  EXPECT_EQ(testing::ErrorOf(upload->UploadPart(2, AsBytes("y"))).code, ErrorCode::kSessionLost);
  EXPECT_EQ(testing::ErrorOf(upload->ListParts()).code, ErrorCode::kSessionLost);
  EXPECT_EQ(testing::ErrorOf(upload->Complete()).code, ErrorCode::kSessionLost);
  EXPECT_TRUE(upload->Abort().ok());  // The intended state is reached.
}

TEST_F(MultipartUploadTest, AcceptsReplacementsOfTooSmallParts) {
  auto upload = MultipartUpload::Start(client_, kObject);
  ASSERT_TRUE(upload.ok());
  ASSERT_TRUE(upload->UploadPart(1, AsBytes("small")).ok());
  ASSERT_TRUE(upload->UploadPart(2, PartOf(Content(), 2)).ok());
  const auto refused = upload->Complete();
  ASSERT_TRUE(testing::FailsWith(refused, ErrorCode::kInvalidArgument));
  EXPECT_EQ(refused.error().reason, "EntityTooSmall");
  ASSERT_TRUE(upload->UploadPart(1, PartOf(Content(), 1)).ok());
  ASSERT_TRUE(upload->Complete().ok());
  ExpectStoredOnce(Content().substr(0, 2 * kPart));
}

TEST_F(MultipartUploadTest, RefusesInvalidArguments) {
  EXPECT_EQ(testing::ErrorOf(MultipartUpload::Start(client_, {kBucket, ""})).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(testing::ErrorOf(MultipartUpload::Start(client_, {"no-such-bucket", "o"})).code, ErrorCode::kNotFound);
  const auto upload = MultipartUpload::Start(client_, kObject);
  ASSERT_TRUE(upload.ok());
  EXPECT_EQ(testing::ErrorOf(upload->UploadPart(0, {})).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(testing::ErrorOf(upload->UploadPart(10'001, {})).code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace gcsflux
