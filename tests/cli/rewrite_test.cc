// Copies within the service, whose answers are compared.
#include "cli/copy/rewrite.h"

#include <gtest/gtest.h>

#include "support/circular_service.h"
#include "support/result.h"

namespace gcsflux::cli {
namespace {

// The CRC32C of "AAAAAA==" is 0.
constexpr const char* kCopied = R"({"done":true,"totalBytesRewritten":"1","objectSize":"1","resource":)"
                                R"({"bucket":"bkt","name":"b","generation":"2","size":"1","crc32c":"AAAAAA=="}})";

Result<void> RewriteAs(std::uint32_t source_crc32c) {
  testing::RawServer server([](testing::RawServer::Connection& connection) {
    for (std::string head; !(head = connection.ReadHead()).empty();) {
      testing::ReadBody(connection, head);
      connection.Send(testing::OkAnswer(kCopied));
    }
  });
  const Client client = *Client::Create({.endpoint = server.endpoint(), .project = "p"});
  return Rewrite(client, {"bkt", "a"}, {"bkt", "b"},
                 {.guess = RewriteGuess{.source_generation = 1, .source_crc32c = source_crc32c}});
}

TEST(Rewrite, ComparesTheChecksumOfTheCopy) {
  EXPECT_TRUE(RewriteAs(0).ok());
  EXPECT_EQ(testing::ErrorOf(RewriteAs(1)).code, ErrorCode::kCorrupted);
}

}  // namespace
}  // namespace gcsflux::cli
