// The memory of a stream while its requests wait.
#include <gtest/gtest.h>

#include <latch>
#include <semaphore>
#include <set>
#include <string>
#include <vector>

#include "gcsflux/download.h"
#include "support/raw_server.h"

namespace gcsflux {
namespace {

using testing::RawServer;

// Eight requests wait at the same time, and are answered one after the other. Each object is freed before the next
// answer is sent, so all are delivered in the same memory: no request allocates before its bytes arrive.
TEST(DownloadStreamMemory, IsAllocatedWithTheFirstBytes) {
  constexpr int kObjects = 8;
  const std::string body(5000, 'a');
  std::latch all_wait(kObjects);
  std::binary_semaphore turn(1);
  const RawServer server([&](RawServer::Connection& connection) {
    connection.ReadHead();
    all_wait.arrive_and_wait();
    turn.acquire();
    connection.Send("HTTP/1.1 200 OK\r\nx-goog-generation: 7\r\nContent-Length: 5000\r\n\r\n" + body);
    connection.WaitForClose();
  });
  const Downloader downloader(*Client::Create({.endpoint = server.endpoint(), .credentials = Credentials::Anonymous()}),
                              {.max_concurrency = kObjects, .composition = CompositionMode::kOff});
  std::vector<DownloadSource> sources;
  sources.reserve(kObjects);
  for (int i = 0; i < kObjects; ++i) {
    sources.push_back({.object = {"bench", std::to_string(i)}, .size = body.size(), .generation = 7});
  }
  auto stream = downloader.Stream(sources, DeliveryOrder::kAsCompleted);
  std::set<const void*> places;
  for (int i = 0; i < kObjects; ++i) {
    auto object = stream.Next();
    ASSERT_TRUE(object.ok() && *object) << (object.ok() ? "the stream ended" : object.error().message);
    ASSERT_EQ(std::string(reinterpret_cast<const char*>((*object)->bytes.data()), (*object)->bytes.size()), body);
    places.insert((*object)->bytes.data());
    object->reset();
    turn.release();
  }
  EXPECT_EQ(places.size(), 1U);
}

}  // namespace
}  // namespace gcsflux
