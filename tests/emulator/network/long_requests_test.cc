// Requests that take the emulator long: they delay no others, and a signal ends them.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/interruption.h"
#include "emulator/support/program.h"
#include "emulator/support/raw_connection.h"
#include "store/buckets/bucket.h"
#include "store/bytes/md5.h"

namespace gcsflux::emulator {
namespace {

using std::chrono::steady_clock;

constexpr int kNames = 2000;

std::string NameOf(int i) { return std::string(1000, 'a') + std::to_string(i); }

// Matches none of these names, and takes long to find that.
std::string CostlyGlob() {
  std::string pattern;
  for (int i = 0; i < 300; ++i) pattern += "**a";
  return pattern + "b";
}

TEST(LongRequests, GlobListingDoesNotBlockWriters) {
  Bucket bucket({.name = "bucket"}, [] { return Time(std::chrono::seconds(1'800'000'000)); });
  const auto insert = [&](const std::string& name) {
    ASSERT_TRUE(bucket.InsertObject({.name = name, .body = std::make_shared<const Body>(Rope("x"))}, {}));
  };
  for (int i = 0; i < kNames; ++i) insert(NameOf(i));
  ListQuery query;
  query.glob = Glob::Parse(CostlyGlob()).value();
  std::atomic<bool> is_listed = false;
  const auto begin = steady_clock::now();
  steady_clock::time_point end;
  std::thread lister([&] {
    (void)bucket.List(query);
    end = steady_clock::now();
    is_listed = true;
  });
  steady_clock::duration longest{0};
  for (int i = 0; !is_listed; ++i) {
    const auto before = steady_clock::now();
    insert("z" + std::to_string(i % 100));
    longest = std::max(longest, steady_clock::now() - before);
  }
  lister.join();
  EXPECT_LT(longest, (end - begin) / 2);
}

TEST(LongRequests, StopSoonAtASignal) {
  Program program({"--port=0"});
  const std::string endpoint = program.ReadOutputLine().substr(kReady.size());
  RawConnection client(endpoint);
  ASSERT_EQ(client.Call("POST", "/storage/v1/b", "", R"({"name":"bucket"})").status, 200);
  for (int i = 0; i < kNames; ++i) {
    const std::string target = "/upload/storage/v1/b/bucket/o?uploadType=media&name=" + NameOf(i);
    ASSERT_EQ(client.Call("POST", target, "", "x").status, 200);
  }
  // Many in parallel. Each reads page after page until the connection ends.
  std::vector<std::unique_ptr<RawConnection>> connections;
  connections.reserve(16);
  for (int i = 0; i < 16; ++i) connections.push_back(std::make_unique<RawConnection>(endpoint));
  std::vector<std::thread> listers;
  listers.reserve(connections.size());
  for (const auto& connection : connections) {
    listers.emplace_back([&connection] {
      do {
        connection->Send("GET /storage/v1/b/bucket/o?matchGlob=" + CostlyGlob() + " HTTP/1.1\r\nHost: h\r\n\r\n");
      } while (connection->Receive());
    });
  }
  const auto busy = [&] { return client.Call("GET", "/_emulator/journal?limit=16").body; };
  for (std::string journal = busy(); journal.find("matchGlob") == std::string::npos;) journal = busy();
  const auto begin = steady_clock::now();
  program.Signal(SIGTERM);
  EXPECT_EQ(program.Wait(), 0);
  EXPECT_LT(steady_clock::now() - begin, std::chrono::seconds(5)) << "within a second, on a machine of its own";
  for (std::thread& lister : listers) lister.join();
}

TEST(LongRequests, StopHashingWhenInterrupted) {
  const Rope bytes(std::string(16 << 20, 'x'));
  std::atomic<bool> flag = false;
  const Interruptible interruptible(flag);
  const Body body(bytes, 0);
  flag = true;
  EXPECT_THROW((void)body.md5(), Interrupted);
  flag = false;
  EXPECT_EQ(body.md5(), ComputeMd5(bytes));  // a later request gets it
}

}  // namespace
}  // namespace gcsflux::emulator
