#include "cli/parallel/connection_quota.h"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include "cli/copy/connections_of.h"

namespace gcsflux::cli {
namespace {

TEST(ConnectionQuota, NeverExceedsItsTotalAndServesEachThread) {
  constexpr int kTotal = 5;
  ConnectionQuota quota(kTotal, kTotal);
  std::atomic<int> in_use = 0;
  std::atomic<int> served = 0;
  std::vector<std::jthread> threads;
  for (unsigned seed = 0; seed < 8; ++seed) {
    threads.emplace_back([&, seed] {
      std::mt19937 random(seed);
      for (int i = 0; i < 500; ++i) {
        const ConnectionQuota::Lease lease(quota, static_cast<int>(random() % 8));
        EXPECT_LE(in_use += lease.count(), kTotal);
        in_use -= lease.count();
        ++served;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(served, 8 * 500);
}

TEST(ConnectionQuota, GrantsAtLeastOneAndAtMostItsBase) {
  ConnectionQuota quota(3, 8);
  EXPECT_EQ(ConnectionQuota::Lease(quota, 0).count(), 1);
  EXPECT_EQ(ConnectionQuota::Lease(quota, 2).count(), 2);
  EXPECT_EQ(ConnectionQuota::Lease(quota, 100).count(), 3);
}

TEST(ConnectionQuota, GrantsMoreToTasksOfOneConnectionWhileTheirBytesAreFew) {
  constexpr std::uint64_t kMost = ConnectionQuota::kMostBytes;
  ConnectionQuota quota(2, 4);
  std::atomic<int> granted = 0;
  const auto take = [&](int count, std::uint64_t bytes) {
    return std::jthread([&, count, bytes] {
      const ConnectionQuota::Lease lease(quota, count, bytes);
      ++granted;
    });
  };
  auto large = std::make_optional<ConnectionQuota::Lease>(quota, 2, 8 * kMost);
  {
    const std::jthread small = take(1, 1);  // Too many bytes are held.
    EXPECT_EQ(granted, 0);
    large.reset();
  }
  EXPECT_EQ(granted, 1);
  const ConnectionQuota::Lease first(quota, 1, kMost / 2);
  const ConnectionQuota::Lease second(quota, 1, kMost / 2);
  auto third = std::make_optional<ConnectionQuota::Lease>(quota, 1, 0);
  const ConnectionQuota::Lease fourth(quota, 1, 0);
  {
    const std::jthread fifth = take(1, 0);  // All four are in use.
    EXPECT_EQ(granted, 1);
    third.reset();
  }
  EXPECT_EQ(granted, 2);
  {
    const std::jthread fifth = take(1, 0);
    const std::jthread sixth = take(1, 0);
    quota.SetLimit(5);
  }
  EXPECT_EQ(granted, 4);
}

TEST(DownloadConnections, IsOneForEachRange) {
  constexpr std::uint64_t kRange = 16U << 20;
  EXPECT_EQ(DownloadConnections(0, 8), 1);
  EXPECT_EQ(DownloadConnections(kRange, 8), 1);
  EXPECT_EQ(DownloadConnections(kRange + 1, 8), 2);
  EXPECT_EQ(DownloadConnections(3 * kRange, 8), 3);
  EXPECT_EQ(DownloadConnections(std::uint64_t{1} << 50, 8), 8);
}

}  // namespace
}  // namespace gcsflux::cli
