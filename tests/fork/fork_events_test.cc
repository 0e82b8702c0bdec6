// An event writer of the parent's in a child: it does nothing there, and the parent's continues.
#include <gtest/gtest.h>

#include "fork/fork_fixture.h"
#include "gcsflux/event_writer.h"

namespace gcsflux {
namespace {

using testing::InChild;

class ForkEventsTest : public testing::ForkTest {};

TEST_F(ForkEventsTest, AChildNeitherUsesNorEndsItsParentsWriter) {
  Start(/*is_tls=*/false);
  Put(0, 0);  // The bucket.
  const Client client = *Client::Create(Options());
  auto writer = *EventWriter::Open(client, "gs://" + std::string(kBucket) + "/runs/7");
  writer.AddScalar("loss", 1, 1);
  EXPECT_EQ(InChild([&]() -> std::string {
              EventWriter copy = std::move(writer);
              copy.AddScalar("loss", 2, 2);
              const auto flushed = copy.Flush();
              const auto closed = copy.Close();
              const bool is_refused = !flushed && !closed && flushed.error().code == ErrorCode::kForked &&
                                      closed.error().code == ErrorCode::kForked;
              return is_refused ? "" : "the child's calls were not refused";
            }),
            "");
  writer.AddScalar("loss", 3, 3);
  EXPECT_TRUE(writer.Close().ok());
  std::string record;
  ASSERT_TRUE(client
                  .ReadObject({kBucket, "runs/7/run.json"},
                              [&](std::span<const std::byte> bytes) -> Result<void> {
                                record.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
                                return {};
                              })
                  .ok());
  EXPECT_NE(record.find("\"events\": 2,"), std::string::npos) << record;
}

}  // namespace
}  // namespace gcsflux
