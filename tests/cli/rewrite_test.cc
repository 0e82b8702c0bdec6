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

Result<std::int64_t> RewriteAs(std::uint32_t source_crc32c) {
  testing::RawServer server([](testing::RawServer::Connection& connection) {
    for (std::string head; !(head = connection.ReadHead()).empty();) {
      testing::ReadBody(connection, head);
      connection.Send(testing::OkAnswer(kCopied));
    }
  });
  const Client client = *Client::Create({.endpoint = server.endpoint(), .project = "p"});
  return Rewrite(client, {"bkt", "a"}, {"bkt", "b"}, {.generation = 1, .crc32c = source_crc32c}, {}, {});
}

TEST(Rewrite, ComparesTheChecksumOfTheCopy) {
  EXPECT_EQ(*RewriteAs(0), 1) << "the generation of the source";
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
  const Error error = testing::ErrorOf(Rewrite(client, {"bkt", "a"}, {"bkt", "b"}, listed, {}, {}));
  EXPECT_EQ(emulator.faults().Fired("lost"), 1U);
  EXPECT_EQ(error.outcome, WriteOutcome::kUnknown) << error.message;
  EXPECT_EQ(*rival.ReadObject({"bkt", "b"}), "a rival's");
}

}  // namespace
}  // namespace gcsflux::cli
