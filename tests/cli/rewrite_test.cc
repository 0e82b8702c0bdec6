// Copies within the service, whose answers are verified.
#include "cli/copy/rewrite.h"

#include <gtest/gtest.h>

#include "gcsflux/emulator/emulator.h"
#include "support/after_request.h"
#include "support/circular_service.h"
#include "support/load_fault.h"
#include "support/result.h"

namespace gcsflux::cli {
namespace {

// The CRC32C of "AAAAAA==" is 0.
constexpr const char* kCopied = R"({"done":true,"totalBytesRewritten":"1","objectSize":"1","resource":)"
                                R"({"bucket":"bkt","name":"b","generation":"2","size":"1","crc32c":"AAAAAA=="}})";

Result<Rewritten> RewriteAs(std::uint32_t source_crc32c) {
  testing::RawServer server([](testing::RawServer::Connection& connection) {
    for (std::string head; !(head = connection.ReadHead()).empty();) {
      testing::ReadBody(connection, head);
      connection.Send(testing::OkAnswer(kCopied));
    }
  });
  const Client client = *Client::Create({.endpoint = server.endpoint(), .project = "p"});
  std::atomic<bool> is_move_served = true;
  return Rewrite(client, {"bkt", "a"}, {"bkt", "b"}, {.generation = 1, .crc32c = source_crc32c}, {}, {},
                 is_move_served);
}

TEST(Rewrite, ComparesTheChecksumOfTheCopy) {
  EXPECT_EQ(RewriteAs(0)->source_generation, 1) << "the generation of the source";
  EXPECT_EQ(testing::ErrorOf(RewriteAs(1)).code, ErrorCode::kCorrupted);
}

TEST(Rewrite, KeepsARivalsObjectAfterALostAnswer) {
  emulator::Emulator emulator({.idempotency_window = std::chrono::seconds(0)});
  const auto after = std::make_shared<testing::AfterRequest>("objects.rewrite");
  const Client rival = *Client::Create({.endpoint = emulator.endpoint(), .project = "p"});
  const Client client = *Client::Create({.endpoint = emulator.endpoint(),
                                         .project = "p",
                                         .retry = RetryPolicies::All({.initial_delay = std::chrono::milliseconds(1)}),
                                         .event_listener = after});
  ASSERT_TRUE(rival.InsertBucket("bkt").ok());
  const auto source = rival.InsertObject({"bkt", "a"}, AsBytes(std::string("source")));
  ASSERT_TRUE(source.ok());
  testing::LoadFault(emulator, "lost", {.operation = "storage.objects.rewrite"}, {.type = "loseAnswer"}, 1);
  after->Call([&] { EXPECT_TRUE(rival.InsertObject({"bkt", "b"}, AsBytes(std::string("a rival's"))).ok()); });
  const TreeEntry listed{.generation = source->generation, .crc32c = source->crc32c};
  std::atomic<bool> is_move_served = true;
  const Error error = testing::ErrorOf(Rewrite(client, {"bkt", "a"}, {"bkt", "b"}, listed, {}, {}, is_move_served));
  EXPECT_EQ(emulator.faults().Fired("lost"), 1U);
  EXPECT_EQ(error.outcome, WriteOutcome::kUnknown) << error.message;
  EXPECT_EQ(*rival.ReadObject({"bkt", "b"}), "a rival's");
}

class MoveTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(client_.InsertBucket("bkt").ok());
    const auto source = client_.InsertObject({"bkt", "a"}, AsBytes("source"));
    ASSERT_TRUE(source.ok());
    listed_ = {.size = source->size, .generation = source->generation, .crc32c = source->crc32c};
  }

  Result<Rewritten> Move(const TreeEntry& listed) {
    return Rewrite(client_, {"bkt", "a"}, {"bkt", "b"}, listed, {}, {.is_move = true}, is_move_served_);
  }
  [[nodiscard]] bool IsThere(const std::string& name) const { return client_.GetObject({"bkt", name}).ok(); }
  void Load(const std::string& operation, const emulator::FaultAction& action) {
    testing::LoadFault(emulator_, "fault", {.operation = operation}, action, 1);
  }
  [[nodiscard]] std::uint64_t Requests(const std::string& operation) const {
    for (const auto& count : emulator_.counters().operations) {
      if (count.operation == operation) return count.requests;
    }
    return 0;
  }

  emulator::Emulator emulator_{{.idempotency_window = std::chrono::seconds(0)}};
  Client client_ = *Client::Create({.endpoint = emulator_.endpoint(),
                                    .project = "p",
                                    .retry = RetryPolicies::All({.initial_delay = std::chrono::milliseconds(1)})});
  TreeEntry listed_;
  std::atomic<bool> is_move_served_ = true;
};

TEST_F(MoveTest, IsOneRequestWithinABucket) {
  const auto moved = Move(listed_);
  ASSERT_TRUE(moved.ok()) << moved.error().message;
  EXPECT_TRUE(moved->is_moved);
  EXPECT_FALSE(IsThere("a"));
  EXPECT_EQ(*client_.ReadObject({"bkt", "b"}), "source");
  EXPECT_EQ(Requests("storage.objects.move"), 1U);
  EXPECT_EQ(Requests("storage.objects.rewrite"), 0U);
}

TEST_F(MoveTest, IsACopyIfTheServiceDoesNotMove) {
  for (const int status : {400, 404, 405, 412, 501}) {
    SCOPED_TRACE(status);
    is_move_served_ = true;
    Load("storage.objects.move", {.type = "status", .status = status});
    const auto copied = Move({});
    EXPECT_EQ(emulator_.faults().Fired("fault"), 1U);
    ASSERT_TRUE(copied.ok()) << copied.error().message;
    EXPECT_FALSE(copied->is_moved);
    EXPECT_FALSE(is_move_served_);
    EXPECT_TRUE(IsThere("a"));
    emulator_.faults().Clear();
    const std::uint64_t tried = Requests("storage.objects.move");
    ASSERT_TRUE(Move({}).ok());
    EXPECT_EQ(Requests("storage.objects.move"), tried) << "it is not tried again";
  }
}

TEST_F(MoveTest, SucceedsAfterALostAnswer) {
  Load("storage.objects.move", {.type = "loseAnswer"});
  const auto moved = Move(listed_);
  EXPECT_EQ(emulator_.faults().Fired("fault"), 1U);
  ASSERT_TRUE(moved.ok()) << moved.error().message;
  EXPECT_TRUE(moved->is_moved);
  EXPECT_FALSE(IsThere("a"));
  EXPECT_EQ(*client_.ReadObject({"bkt", "b"}), "source");
}

TEST_F(MoveTest, ReplacesOnlyTheGenerationThatItFound) {
  ASSERT_TRUE(client_.InsertObject({"bkt", "b"}, AsBytes("other")).ok());
  const auto moved = Move(listed_);
  ASSERT_TRUE(moved.ok()) << moved.error().message;
  EXPECT_EQ(*client_.ReadObject({"bkt", "b"}), "source");
}

TEST_F(MoveTest, LeavesAHeldObjectWithoutACopy) {
  ASSERT_TRUE(client_.PatchObject({"bkt", "a"}, {.temporary_hold = true}).ok());
  const Error error = testing::ErrorOf(Move(listed_));
  EXPECT_EQ(error.http_status, 403) << error.message;
  EXPECT_TRUE(IsThere("a"));
  EXPECT_FALSE(IsThere("b"));
}

}  // namespace
}  // namespace gcsflux::cli
