// ObjectWriter against the emulator: what it stores, by which method, and what it leaves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "gcsflux/download.h"
#include "gcsflux/emulator/emulator.h"
#include "gcsflux/emulator/journal_queries.h"
#include "gcsflux/upload.h"
#include "support/result.h"
#include "support/upload_case.h"
#include "support/upload_leftovers.h"
#include "transfer/upload/part_bytes.h"

namespace gcsflux {
namespace {

using std::chrono::milliseconds;
using ::testing::StartsWith;

using testing::kObject;
using testing::kPart;

const std::string& Content() {
  static const std::string content = [] {
    std::string bytes(3 * kPart + 7, '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 2'654'435'761U >> 24);
    return bytes;
  }();
  return content;
}

class ObjectWriterTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(client_.InsertBucket("bkt")); }

  static UploadOptions Options(UploadOptions upload = {}) {
    upload.part_bytes = kPart;
    upload.part_memory_bytes = 3 * kPart;
    upload.max_concurrency = 4;
    return upload;
  }
  static Result<void> WriteAll(ObjectWriter& writer, std::string_view bytes, std::size_t step = 1'234'567) {
    for (std::size_t at = 0; at < bytes.size(); at += step) {
      if (auto written = writer.Write(AsBytes(bytes.substr(at, step))); !written) return written;
    }
    return {};
  }
  Result<ObjectMetadata> Store(const UploadOptions& options, UploadReport* report = nullptr) {
    ObjectWriter writer(client_, kObject, options);
    const auto written = WriteAll(writer, Content());
    auto stored = written ? writer.Close() : Result<ObjectMetadata>(written.error());
    if (report != nullptr) *report = writer.report();
    return stored;
  }
  std::string Stored() const {
    auto read = client_.ReadObject(kObject);
    return read ? *std::move(read) : testing::ErrorOf(read).message;
  }
  void LoadFault(const std::string& type, emulator::FaultMatch match) {
    emulator_.faults().Load(
        {.rules = {{.name = "it", .match = std::move(match), .action = {.type = type}, .limits = {.count = 1}}}});
  }

  emulator::Emulator emulator_{{.idempotency_window = std::chrono::seconds(0)}};
  const Client client_ =
      *Client::Create({.endpoint = emulator_.endpoint(),
                       .project = "p",
                       .retry = RetryPolicies::All({.initial_delay = milliseconds(1), .max_delay = milliseconds(4)})});
};

TEST_F(ObjectWriterTest, CommitsPartsByOneCompose) {
  UploadOptions upload{.attributes = {.content_type = "text/plain", .metadata = {{"key", "\xc3\xa9"}}}};
  UploadReport report;
  const std::size_t before = emulator_.journal().size();
  const auto stored = Store(Options(upload), &report);
  // Permissions, settings, the start, four parts, the end, a read-back, and the compose.
  EXPECT_EQ(emulator_.journal().size() - before, 10U);
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  EXPECT_TRUE(Stored() == Content());
  EXPECT_EQ(stored->content_type, "text/plain");
  EXPECT_EQ(stored->metadata, upload.attributes.metadata);
  EXPECT_EQ(report.path, WritePath::kParallel);
  EXPECT_EQ(report.parts, 4U);
  EXPECT_LE(report.most_memory, 3 * kPart);
  EXPECT_THAT(report.temporary_name, StartsWith("gcsflux-uploads/2"));
  EXPECT_FALSE(report.has_left_temporary);
  EXPECT_EQ(emulator::FindCommits(emulator_.journal(), "bkt", "o").size(), 1U);
  testing::ExpectNothingLeft(client_);
}

TEST_F(ObjectWriterTest, StoresUpToOnePartInOneRequest) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, kPart}) {
    ObjectWriter writer(client_, kObject, Options());
    ASSERT_TRUE(WriteAll(writer, Content().substr(0, size)).ok());
    const std::size_t before = emulator_.journal().size();
    const auto stored = writer.Close();
    ASSERT_TRUE(stored.ok()) << stored.error().message;
    EXPECT_EQ(emulator_.journal().size(), before + 1);
    EXPECT_TRUE(Stored() == Content().substr(0, size));
    EXPECT_EQ(writer.report().path, WritePath::kOneRequest);
  }
}

TEST_F(ObjectWriterTest, NeedsNoComposeForAPrivateName) {
  auto options = Options();
  options.is_private_name = true;
  UploadReport report;
  ASSERT_TRUE(Store(options, &report).ok());
  EXPECT_TRUE(Stored() == Content());
  EXPECT_EQ(report.path, WritePath::kInPlace);
  EXPECT_EQ(report.temporary_name, "");
  testing::ExpectNothingLeft(client_);
}

TEST_F(ObjectWriterTest, UsesOneStreamIfAsked) {
  auto options = Options();
  options.path = WritePath::kOneStream;
  UploadReport report;
  ASSERT_TRUE(Store(options, &report).ok());
  EXPECT_TRUE(Stored() == Content());
  EXPECT_EQ(report.path, WritePath::kOneStream);
  EXPECT_EQ(report.reason, "one stream was asked for");
}

TEST_F(ObjectWriterTest, SendsThePreconditionOfItsMode) {
  ASSERT_TRUE(client_.InsertObject(kObject, AsBytes("old")).ok());
  EXPECT_EQ(testing::ErrorOf(Store(Options({.mode = WriteMode::kCreate}))).code, ErrorCode::kPreconditionFailed);
  EXPECT_EQ(testing::ErrorOf(Store(Options({.mode = WriteMode::kReplace, .generation = 5}))).code,
            ErrorCode::kPreconditionFailed);
  EXPECT_EQ(Stored(), "old");
  testing::ExpectNothingLeft(client_);
  const auto live = client_.GetObject(kObject);
  ASSERT_TRUE(Store(Options({.mode = WriteMode::kReplace, .generation = live->generation})).ok());
  EXPECT_TRUE(Stored() == Content());
}

TEST_F(ObjectWriterTest, ShowsNothingBeforeClose) {
  ASSERT_TRUE(client_.InsertObject(kObject, AsBytes("old")).ok());
  {
    ObjectWriter destroyed(client_, kObject, Options());
    ASSERT_TRUE(WriteAll(destroyed, Content()).ok());
  }
  ObjectWriter cancelled(client_, kObject, Options());
  ASSERT_TRUE(WriteAll(cancelled, Content()).ok());
  cancelled.Cancel();
  EXPECT_EQ(testing::ErrorOf(cancelled.Write(AsBytes("x"))).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(testing::ErrorOf(cancelled.Close()).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(Stored(), "old");
  testing::ExpectNothingLeft(client_);
}

// Its event loops end with the last writer, not with the Client: even while parts are in flight.
TEST_F(ObjectWriterTest, OutlivesItsClient) {
  auto client = std::make_unique<Client>(*Client::Create({.endpoint = emulator_.endpoint(), .project = "p"}));
  std::optional<ObjectWriter> destroyed(std::in_place, *client, kObject, Options());
  ObjectWriter writer(*client, kObject, Options());
  ASSERT_TRUE(WriteAll(writer, Content().substr(0, 2 * kPart)).ok());
  client.reset();
  ASSERT_TRUE(WriteAll(*destroyed, Content()).ok());
  destroyed.reset();
  EXPECT_EQ(testing::ErrorOf(client_.GetObject(kObject)).code, ErrorCode::kNotFound);
  ASSERT_TRUE(WriteAll(writer, Content().substr(2 * kPart)).ok());
  const auto stored = writer.Close();
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  EXPECT_EQ(writer.report().path, WritePath::kParallel);
  EXPECT_TRUE(Stored() == Content());
  testing::ExpectNothingLeft(client_);
}

TEST_F(ObjectWriterTest, StopsOnRequest) {
  std::stop_source stop;
  ObjectWriter writer(client_, kObject, Options({.stop = stop.get_token()}));
  ASSERT_TRUE(WriteAll(writer, Content()).ok());
  stop.request_stop();
  EXPECT_EQ(testing::ErrorOf(writer.Close()).code, ErrorCode::kCancelled);
  EXPECT_EQ(testing::ErrorOf(client_.GetObject(kObject)).code, ErrorCode::kNotFound);
  testing::ExpectNothingLeft(client_);
}

TEST_F(ObjectWriterTest, RefusesInvalidOptions) {
  auto too_small = Options();
  too_small.part_bytes = kPart - 1;
  auto no_memory = Options();
  no_memory.part_memory_bytes = kPart - 1;
  auto no_connection = Options();
  no_connection.max_concurrency = 0;
  auto private_create = Options({.mode = WriteMode::kCreate});
  private_create.is_private_name = true;
  for (const auto& options : {too_small, no_memory, no_connection, private_create}) {
    ObjectWriter writer(client_, kObject, options);
    EXPECT_EQ(testing::ErrorOf(writer.Write(AsBytes("x"))).code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(testing::ErrorOf(writer.Close()).code, ErrorCode::kInvalidArgument);
  }
  ObjectWriter nameless(client_, {"bkt", ""}, Options());
  EXPECT_EQ(testing::ErrorOf(nameless.Close()).code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(emulator_.journal().size() == 1);
}

TEST_F(ObjectWriterTest, WorksWithMemoryForOnePart) {
  auto options = Options();
  options.part_memory_bytes = kPart;
  UploadReport report;
  ASSERT_TRUE(Store(options, &report).ok());
  EXPECT_TRUE(Stored() == Content());
  EXPECT_EQ(report.most_memory, kPart);
}

TEST_F(ObjectWriterTest, AdmitsOneOfTenCreators) {
  std::atomic<int> winners = 0;
  std::atomic<int> refused = 0;
  {
    std::vector<std::jthread> threads;
    for (char writer = 'a'; writer < 'k'; ++writer) {
      threads.emplace_back([&, writer] {
        ObjectWriter own(client_, kObject, Options({.mode = WriteMode::kCreate}));
        ASSERT_TRUE(WriteAll(own, std::string(kPart + 100, writer)).ok());
        const auto stored = own.Close();
        if (stored) ++winners;
        if (!stored && stored.error().code == ErrorCode::kPreconditionFailed) ++refused;
      });
    }
    // The visible object is always whole.
    for (int i = 0; i < 20; ++i) {
      const auto read = client_.ReadObject(kObject);
      if (!read) continue;
      EXPECT_EQ(*read, std::string(kPart + 100, read->front()));
    }
  }
  EXPECT_EQ(winners, 1);
  EXPECT_EQ(refused, 9);
  const std::string stored = Stored();
  EXPECT_EQ(stored, std::string(kPart + 100, stored.front()));
  testing::ExpectNothingLeft(client_);
}

TEST_F(ObjectWriterTest, FindsALostComposeByReadBack) {
  for (const WriteMode mode : {WriteMode::kCreate, WriteMode::kOverwrite}) {
    emulator_.Reset();
    ASSERT_TRUE(client_.InsertBucket("bkt"));
    LoadFault("loseAnswer", {.operation = "storage.objects.compose"});
    const auto stored = Store(Options({.mode = mode}));
    ASSERT_TRUE(stored.ok()) << stored.error().message;
    EXPECT_EQ(emulator_.faults().Fired("it"), 1U);
    EXPECT_TRUE(Stored() == Content());
    EXPECT_EQ(emulator::FindCommits(emulator_.journal(), "bkt", "o").size(), 1U);
    testing::ExpectNothingLeft(client_);
  }
}

TEST(PartBytes, AllowTheLargestObjectInTenThousandParts) {
  constexpr std::uint64_t kFirst = 16U << 20;
  constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};
  EXPECT_EQ(internal::PartBytes(kFirst, 1, kNoLimit), kFirst);
  EXPECT_EQ(internal::PartBytes(kFirst, 1'250, kNoLimit), kFirst);
  EXPECT_EQ(internal::PartBytes(kFirst, 1'251, kNoLimit), 2 * kFirst);
  EXPECT_EQ(internal::PartBytes(kFirst, 10'000, 3 * kFirst), 3 * kFirst);
  std::uint64_t all = 0;
  for (int number = 1; number <= internal::kMostParts; ++number) all += internal::PartBytes(kFirst, number, kNoLimit);
  EXPECT_GE(all, std::uint64_t{5'000'000'000'000});
}

TEST(PartBytes, AllowTheObjectSizeOfTheHeader) {
  const auto held = [](std::uint64_t most) {
    std::uint64_t all = 0;
    for (int number = 1; number <= internal::kMostParts; ++number) {
      all += internal::PartBytes(UploadOptions().part_bytes, number, most);
    }
    return all;
  };
  EXPECT_GE(held(UploadOptions().part_memory_bytes), std::uint64_t{1'600'000'000'000});
  EXPECT_GE(held(std::uint64_t{2} << 30), std::uint64_t{5'000'000'000'000});
}

// 56 MB in buffers of 16 MiB: parts of a third each, and the last bytes over idle connections.
TEST_F(ObjectWriterTest, UsesAllConnectionsForAShortObject) {
  std::string bytes = Content();
  bytes.resize(bytes.size() + 40'000'000, 'x');
  ObjectWriter writer(client_, kObject);
  ASSERT_TRUE(writer.Write(AsBytes(bytes)).ok());
  ASSERT_TRUE(writer.Close().ok());
  EXPECT_TRUE(Stored() == bytes);
  EXPECT_EQ(writer.report().parts, bytes.size() / (16U << 20) * 3 + bytes.size() % (16U << 20) / (5U << 20));
}

}  // namespace
}  // namespace gcsflux
