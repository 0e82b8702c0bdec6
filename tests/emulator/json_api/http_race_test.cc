// Many clients change one object.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "emulator/support/raw_connection.h"
#include "gcsflux/emulator/gtest.h"

namespace gcsflux::emulator {
namespace {

constexpr auto kObject = "/storage/v1/b/bucket/o/o?alt=media";
constexpr auto kUpload = "/upload/storage/v1/b/bucket/o?uploadType=media&name=o";

class HttpRaceTest : public EmulatorTest {
 protected:
  void SetUp() override {
    ASSERT_EQ(RawConnection(endpoint()).Call("POST", "/storage/v1/b", "", R"({"name":"bucket"})").status, 200);
  }
};

TEST_F(HttpRaceTest, OneConditionalWriteWins) {
  for (int round = 0; round < 10; ++round) {
    std::vector<int> statuses(16);
    std::vector<std::thread> threads;
    threads.reserve(statuses.size());
    for (int& status : statuses) {
      threads.emplace_back([&] {
        RawConnection client(endpoint());
        const std::string target = kUpload + std::to_string(round) + "&ifGenerationMatch=0";
        status = client.Call("POST", target, "", "content").status;
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(std::count(statuses.begin(), statuses.end(), 200), 1);
    EXPECT_EQ(std::count(statuses.begin(), statuses.end(), 412), 15);
  }
}

TEST_F(HttpRaceTest, ReadersSeeWholeGenerationsDuringAnOverwrite) {
  constexpr std::size_t kSize = 3'000'000;
  RawConnection writer(endpoint());
  ASSERT_EQ(writer.Call("POST", kUpload, "", std::string(kSize, 'a')).status, 200);
  std::atomic<bool> is_done = false;
  std::atomic<int> reads = 0;
  std::vector<std::thread> readers;
  readers.reserve(4);
  for (int i = 0; i < 4; ++i) {
    readers.emplace_back([&] {
      RawConnection reader(endpoint());
      do {
        const std::string body = reader.Call("GET", kObject).body;
        EXPECT_EQ(body.size(), kSize);
        EXPECT_TRUE(std::all_of(body.begin(), body.end(), [&](char c) { return c == body[0]; }));
        ++reads;
      } while (!is_done);
    });
  }
  for (char c = 'b'; c <= 'm'; ++c) EXPECT_EQ(writer.Call("POST", kUpload, "", std::string(kSize, c)).status, 200);
  is_done = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_GE(reads, 4);
}

TEST_F(HttpRaceTest, ConcurrentFinishersStoreTheObjectOnce) {
  RawConnection client(endpoint());
  const std::string session =
      client.Call("POST", "/upload/storage/v1/b/bucket/o?uploadType=resumable&name=o").Header("location");
  std::vector<std::string> bodies(8);
  std::vector<std::thread> threads;
  threads.reserve(bodies.size());
  for (std::string& body : bodies) {
    threads.emplace_back([&] {
      RawConnection finisher(endpoint());
      RawResponse response;
      do {
        response = finisher.Call("PUT", session, "Content-Range: bytes 0-4/5\r\n", "hello");
      } while (response.status == 503);
      EXPECT_EQ(response.status, 200) << response.body;
      body = response.body;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& body : bodies) EXPECT_EQ(body, bodies.front());
}

}  // namespace
}  // namespace gcsflux::emulator
