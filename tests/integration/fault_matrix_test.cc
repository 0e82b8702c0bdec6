// Every operation under every fault that may pass: it succeeds, the fault has fired, the bytes are right, and what was
// to be made was made exactly once.

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gcsflux/client.h"
#include "gcsflux/emulator/emulator.h"
#include "gcsflux/emulator/journal_queries.h"
#include "gcsflux/listing.h"
#include "gcsflux/upload.h"

namespace gcsflux {
namespace {

using emulator::FaultAction;
using std::chrono::milliseconds;

constexpr auto kBucket = "my-bucket";
const std::string& Content() {
  static const std::string content = [] {
    std::string bytes(3'000'000, '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 2'654'435'761U >> 24);
    return bytes;
  }();
  return content;
}

struct Fault {
  std::string name;
  FaultAction action;
};

std::vector<Fault> Statuses() {
  std::vector<Fault> faults;
  for (const std::uint64_t status : {408U, 429U, 500U, 502U, 503U, 504U}) {
    faults.push_back({"status " + std::to_string(status), {.type = "status", .status = status}});
  }
  faults.push_back({"reset", {.type = "reset"}});
  faults.push_back({"HTML", {.type = "htmlError", .status = 502}});
  return faults;
}

// Of an answer whose operation has run.
std::vector<Fault> LostAnswers() {
  return {{"lost answer", {.type = "loseAnswer"}},
          {"answer cut at its first byte", {.type = "cut", .after_bytes = 0}},
          {"answer cut in its midst", {.type = "cut", .after_bytes = 50}}};
}

std::vector<Fault> BrokenReads() {
  std::vector<Fault> faults = {{"lost answer", {.type = "loseAnswer"}}};
  for (const std::uint64_t after : {std::uint64_t{0}, std::uint64_t{1}, Content().size() / 2, Content().size() - 1}) {
    faults.push_back({"cut after " + std::to_string(after), {.type = "cut", .after_bytes = after}});
    faults.push_back({"reset after " + std::to_string(after), {.type = "cut", .after_bytes = after, .resets = true}});
  }
  return faults;
}

std::vector<Fault> operator+(std::vector<Fault> faults, const std::vector<Fault>& more) {
  faults.insert(faults.end(), more.begin(), more.end());
  return faults;
}

class FaultMatrixTest : public testing::Test {
 protected:
  void SetUp() override { SetUpStore(); }

  void SetUpStore() {
    client_ = *Client::Create(
        {.endpoint = emulator_.endpoint(),
         .project = "p",
         .retry = RetryPolicies::All({.initial_delay = milliseconds(1), .max_delay = milliseconds(4)})});
    ASSERT_TRUE(client_->InsertBucket(kBucket));
    ASSERT_TRUE(UploadObject(*client_, {kBucket, "object"}, AsBytes(Content())));
    ASSERT_TRUE(UploadObject(*client_, {kBucket, "small"}, AsBytes("bytes")));
  }

  // Runs it in a store of its own for each fault, which happens to the first request that matches.
  void ForEach(const std::vector<Fault>& faults, const emulator::FaultMatch& match, const std::function<void()>& run) {
    for (const Fault& fault : faults) {
      SCOPED_TRACE(fault.name);
      emulator_.Reset();
      SetUpStore();
      emulator_.faults().Load(
          {.rules = {{.name = "it", .match = match, .action = fault.action, .limits = {.count = 1}}}});
      run();
      EXPECT_EQ(emulator_.faults().Fired("it"), 1U);
      emulator_.faults().Clear();
    }
  }

  void ExpectStoredOnce(const std::string& name, const std::string& bytes) {
    const auto stored = client_->ReadObject({kBucket, name});
    ASSERT_TRUE(stored.ok()) << stored.error().message;
    EXPECT_TRUE(*stored == bytes) << stored->size() << " bytes";
    EXPECT_EQ(emulator::FindCommits(emulator_.journal(), kBucket, name).size(), 1U);
  }

  emulator::Emulator emulator_;
  std::optional<Client> client_;
};

TEST_F(FaultMatrixTest, AReadDeliversItsBytes) {
  ForEach(Statuses() + BrokenReads(), {.operation = "storage.objects.get"}, [&] {
    const auto read = client_->ReadObject({kBucket, "object"});
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_TRUE(*read == Content());
  });
}

TEST_F(FaultMatrixTest, AReadThatBreaksGoesOnWhereItBroke) {
  ForEach({{"reset", {.type = "cut", .after_bytes = 1'000'000, .resets = true}}}, {.operation = "storage.objects.get"},
          [&] {
            ASSERT_TRUE(client_->ReadObject({kBucket, "object"}).ok());
            EXPECT_TRUE(emulator::FindBytesServedTwice(emulator_.journal()).empty());
          });
}

TEST_F(FaultMatrixTest, MetadataAndListsAreReadWhole) {
  ForEach(Statuses() + LostAnswers(), {.operation = "storage.objects.get"}, [&] {
    const auto found = client_->GetObject({kBucket, "object"});
    ASSERT_TRUE(found.ok()) << found.error().message;
    EXPECT_EQ(found->size, Content().size());
  });
  ForEach(Statuses() + LostAnswers(), {.operation = "storage.objects.list"}, [&] {
    const auto listed = ListPrefix(*client_, {kBucket, ""});
    ASSERT_TRUE(listed.ok()) << listed.error().message;
    EXPECT_EQ(listed->objects.size(), 2U);
  });
  ForEach(Statuses() + LostAnswers(), {.operation = "storage.buckets.get"},
          [&] { EXPECT_TRUE(client_->GetBucket(kBucket).ok()); });
  ForEach(Statuses() + LostAnswers(), {.operation = "storage.buckets.list"}, [&] {
    const auto buckets = client_->ListBuckets();
    ASSERT_TRUE(buckets.ok()) << buckets.error().message;
    EXPECT_EQ(buckets->size(), 1U);
  });
}

TEST_F(FaultMatrixTest, BucketsAreMadeAndDeletedOnce) {
  ForEach(Statuses() + LostAnswers(), {.operation = "storage.buckets.insert", .method = "POST"}, [&] {
    const auto made = client_->InsertBucket("other-bucket");
    EXPECT_TRUE(made.ok()) << made.error().message;
  });
  // A 204 has no body to cut.
  ForEach(Statuses() + std::vector<Fault>{{"lost answer", {.type = "loseAnswer"}}},
          {.operation = "storage.buckets.delete"}, [&] {
            ASSERT_TRUE(client_->InsertBucket("other-bucket").ok());
            const auto deleted = client_->DeleteBucket("other-bucket");
            EXPECT_TRUE(deleted.ok()) << deleted.error().message;
            EXPECT_FALSE(client_->GetBucket("other-bucket").ok());
          });
}

TEST_F(FaultMatrixTest, AnUploadInOneRequestIsCommittedOnce) {
  const std::vector<Fault> broken = {
      {"fails at its first byte", {.type = "failUpload", .status = 503, .after_bytes = 1}},
      {"fails in its midst", {.type = "failUpload", .status = 503, .after_bytes = Content().size() / 2}},
      {"fails at its last byte", {.type = "failUpload", .status = 503, .after_bytes = Content().size()}}};
  for (const WriteMode mode : {WriteMode::kCreate, WriteMode::kOverwrite}) {
    ForEach(Statuses() + LostAnswers() + broken, {.operation = "storage.objects.insert"}, [&] {
      const auto stored = UploadObject(*client_, {kBucket, "new"}, AsBytes(Content()), {.mode = mode});
      ASSERT_TRUE(stored.ok()) << stored.error().message;
      ExpectStoredOnce("new", Content());
    });
  }
}

TEST_F(FaultMatrixTest, AStreamIsCommittedOnceWhateverItsSessionMeets) {
  constexpr std::uint64_t kChunk = 1 << 20;
  struct Phase {
    std::string phase;
    std::vector<Fault> faults;
  };
  const std::vector<Fault> broken_chunks = {
      {"fails in its midst", {.type = "failUpload", .status = 503, .after_bytes = kChunk / 2}},
      {"fails at its end", {.type = "failUpload", .status = 503, .after_bytes = kChunk}},
      {"keeps half", {.type = "shortPersist", .keep_bytes = kChunk / 2}},
      {"keeps nothing", {.type = "shortPersist", .keep_bytes = 0}},
      {"308 without Range", {.type = "omitRange"}}};
  const std::vector<Phase> phases = {
      {"start", Statuses() + std::vector<Fault>{{"lost answer", {.type = "loseAnswer"}}}},
      {"chunk", Statuses() + std::vector<Fault>{{"lost answer", {.type = "loseAnswer"}}} + broken_chunks},
      {"final", Statuses() + LostAnswers()}};
  for (const auto& [phase, faults] : phases) {
    SCOPED_TRACE(phase);
    ForEach(faults, {.operation = "storage.objects.insert", .phase = phase}, [&] {
      ObjectWriter writer(*client_, {kBucket, "new"}, {.mode = WriteMode::kCreate, .chunk_bytes = kChunk});
      ASSERT_TRUE(writer.Write(AsBytes(Content())).ok());
      const auto stored = writer.Close();
      ASSERT_TRUE(stored.ok()) << stored.error().message;
      ExpectStoredOnce("new", Content());
    });
  }
}

TEST_F(FaultMatrixTest, AStreamWhoseSessionIsLostLeavesNothing) {
  ForEach({{"404", {.type = "loseSession", .status = 404}}, {"410", {.type = "loseSession", .status = 410}}},
          {.operation = "storage.objects.insert", .phase = "chunk", .nth = 2}, [&] {
            ObjectWriter writer(*client_, {kBucket, "new"}, {.mode = WriteMode::kCreate, .chunk_bytes = 1 << 20});
            static_cast<void>(writer.Write(AsBytes(Content())));
            const auto stored = writer.Close();
            ASSERT_FALSE(stored.ok());
            EXPECT_EQ(stored.error().code, ErrorCode::kSessionLost) << stored.error().message;
            EXPECT_EQ(client_->GetObject({kBucket, "new"}).error().code, ErrorCode::kNotFound);
          });
}

TEST_F(FaultMatrixTest, ComposeUnderAPreconditionIsRepeated) {
  ForEach(Statuses(), {.operation = "storage.objects.compose"}, [&] {
    const auto composed = client_->ComposeObjects({{.name = "object"}, {.name = "small"}}, {kBucket, "new"},
                                                  {.preconditions = {.if_generation_match = 0}});
    ASSERT_TRUE(composed.ok()) << composed.error().message;
    ExpectStoredOnce("new", Content() + "bytes");
  });
}

TEST_F(FaultMatrixTest, AnObjectIsDeletedOnce) {
  ForEach(Statuses() + std::vector<Fault>{{"lost answer", {.type = "loseAnswer"}}},
          {.operation = "storage.objects.delete"}, [&] {
            const auto found = client_->GetObject({kBucket, "small"});
            ASSERT_TRUE(found.ok());
            const auto deleted = client_->DeleteObject({kBucket, "small"},
                                                       {.preconditions = {.if_generation_match = found->generation}});
            EXPECT_TRUE(deleted.ok()) << deleted.error().message;
            EXPECT_EQ(client_->GetObject({kBucket, "small"}).error().code, ErrorCode::kNotFound);
          });
}

TEST_F(FaultMatrixTest, WhatCouldTakeEffectTwiceIsNotRepeated) {
  ForEach(Statuses(), {.operation = "storage.objects.insert"}, [&] {
    EXPECT_FALSE(client_->InsertObject({kBucket, "new"}, AsBytes("bytes")).ok());
    EXPECT_EQ(client_->GetObject({kBucket, "new"}).error().code, ErrorCode::kNotFound);
  });
  ForEach({{"lost answer", {.type = "loseAnswer"}}}, {.operation = "storage.objects.insert"}, [&] {
    EXPECT_FALSE(client_->InsertObject({kBucket, "new"}, AsBytes("bytes")).ok());
    ExpectStoredOnce("new", "bytes");
  });
}

TEST_F(FaultMatrixTest, ACorruptedReadIsRepeatedOnceIntoMemoryAndFailsAsAStream) {
  for (const std::uint64_t at : {std::uint64_t{0}, Content().size() / 2, Content().size() - 1}) {
    const std::vector<Fault> once = {{"byte " + std::to_string(at), {.type = "corrupt", .at_byte = at}}};
    ForEach(once, {.operation = "storage.objects.get"}, [&] {
      const auto read = client_->ReadObject({kBucket, "object"});
      ASSERT_TRUE(read.ok()) << read.error().message;
      EXPECT_TRUE(*read == Content());
      EXPECT_EQ(client_->counters().retries, 1U);
    });
    ForEach(once, {.operation = "storage.objects.get"}, [&] {
      const ByteSink sink = [](std::span<const std::byte>) { return Result<void>(); };
      const auto read = client_->ReadObject({kBucket, "object"}, sink);
      ASSERT_FALSE(read.ok());
      EXPECT_EQ(read.error().code, ErrorCode::kCorrupted) << read.error().message;
    });
  }
}

TEST_F(FaultMatrixTest, AnObjectThatIsCorruptedWhereItIsStoredIsReadTwice) {
  emulator_.faults().Load({.rules = {{.name = "rot",
                                      .match = {.operation = "storage.objects.get"},
                                      .action = {.type = "corrupt", .at_byte = 7}}}});
  const auto read = client_->ReadObject({kBucket, "object"});
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, ErrorCode::kCorrupted) << read.error().message;
  EXPECT_EQ(emulator_.faults().Fired("rot"), 2U);
}

TEST_F(FaultMatrixTest, ACorruptedUploadIsNotCommitted) {
  ForEach({{"byte 7", {.type = "corruptUpload", .at_byte = 7}}}, {.operation = "storage.objects.insert"}, [&] {
    const auto stored = UploadObject(*client_, {kBucket, "new"}, AsBytes(Content()), {.mode = WriteMode::kCreate});
    ASSERT_FALSE(stored.ok());
    EXPECT_EQ(stored.error().code, ErrorCode::kCorrupted) << stored.error().message;
    EXPECT_EQ(client_->GetObject({kBucket, "new"}).error().code, ErrorCode::kNotFound);
  });
}

}  // namespace
}  // namespace gcsflux
