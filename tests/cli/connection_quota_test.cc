#include "cli/copy/connection_quota.h"

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>
#include <vector>

namespace gcsflux::cli {
namespace {

TEST(ConnectionQuota, NeverExceedsItsTotalAndServesEachThread) {
  constexpr int kTotal = 5;
  ConnectionQuota quota(kTotal);
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

TEST(ConnectionQuota, GrantsAtLeastOneAndAtMostAll) {
  ConnectionQuota quota(3);
  EXPECT_EQ(ConnectionQuota::Lease(quota, 0).count(), 1);
  EXPECT_EQ(ConnectionQuota::Lease(quota, 2).count(), 2);
  EXPECT_EQ(ConnectionQuota::Lease(quota, 100).count(), 3);
}

TEST(ConnectionsFor, IsOneForEachStripe) {
  constexpr std::uint64_t kStripe = 16U << 20;
  EXPECT_EQ(ConnectionsFor(0, 8), 1);
  EXPECT_EQ(ConnectionsFor(kStripe, 8), 1);
  EXPECT_EQ(ConnectionsFor(kStripe + 1, 8), 2);
  EXPECT_EQ(ConnectionsFor(3 * kStripe, 8), 3);
  EXPECT_EQ(ConnectionsFor(std::uint64_t{1} << 50, 8), 8);
}

}  // namespace
}  // namespace gcsflux::cli
