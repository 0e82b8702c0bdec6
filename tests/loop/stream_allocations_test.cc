// How often a stream of small objects allocates: each allocation costs some 200 instructions of a read's 160,000.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "gcsflux/client.h"
#include "gcsflux/download.h"
#include "support/emulator_process.h"
#include "support/watched_memory.h"

namespace gcsflux {
namespace {

std::size_t Consume(const Downloader& downloader, const std::vector<DownloadSource>& sources) {
  DownloadStream stream = downloader.Stream(sources, DeliveryOrder::kAsCompleted);
  std::size_t count = 0;
  for (auto next = stream.Next(); next && *next; next = stream.Next()) ++count;
  return count;
}

// operator new's, without libcurl's and the memory of the object itself, which a stream reuses. The rest are the
// headers of request and answer, the URL, and the bookkeeping of retries, hedging and delivery.
TEST(DownloadStream, AllocatesAtMost25TimesPerObject) {
  const testing::EmulatorProcess emulator;
  const Client client = *Client::Create({.endpoint = emulator.endpoint(), .project = "p"});
  ASSERT_TRUE(client.InsertBucket("bucket"));
  const auto object = client.InsertObject({"bucket", "object"}, AsBytes(std::string(4096, 'x')));
  ASSERT_TRUE(object) << object.error().message;
  const std::vector<DownloadSource> sources(2'000, DownloadSources({&*object, 1}).front());
  const Downloader downloader(client, {.max_concurrency = 16});
  ASSERT_EQ(Consume(downloader, sources), sources.size());  // makes the connections
  const std::uint64_t before = testing::Allocations();
  ASSERT_EQ(Consume(downloader, sources), sources.size());
  const double per_object = static_cast<double>(testing::Allocations() - before) / static_cast<double>(sources.size());
  EXPECT_LE(per_object, 25);  // 22 with the many headers of the emulator
  EXPECT_GT(per_object, 1) << "it does not count";
  RecordProperty("per_object", std::to_string(per_object));
}

}  // namespace
}  // namespace gcsflux
