#include "transfer/download/block_pool.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

namespace gcsflux::internal {
namespace {

TEST(BlockPool, ReusesReturnedBlocks) {
  const auto pool = std::make_shared<BlockPool>(1 << 20);
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{100 << 10}, std::size_t{1 << 20} * 4 / 5}) {
    const std::byte* const first = pool->Take(bytes).get();
    EXPECT_EQ(pool->Take(bytes).get(), first) << bytes;
  }
}

// Each byte of each size may be written; blocks in use are not given out.
TEST(BlockPool, GivesDistinctBlocks) {
  const auto pool = std::make_shared<BlockPool>(64 << 20);
  for (int round = 0; round < 2; ++round) {
    std::vector<std::pair<std::shared_ptr<std::byte[]>, std::size_t>> blocks;
    for (std::size_t bytes = 1; bytes < (3U << 20); bytes += bytes / 7 + 1) {
      blocks.emplace_back(pool->Take(bytes), bytes);
      ASSERT_NE(blocks.back().first, nullptr);
      std::memset(blocks.back().first.get(), static_cast<int>(blocks.size() % 251), bytes);
    }
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const auto value = static_cast<std::byte>((i + 1) % 251);
      EXPECT_EQ(blocks[i].first[0], value);
      EXPECT_EQ(blocks[i].first[static_cast<std::ptrdiff_t>(blocks[i].second - 1)], value);
    }
  }
}

TEST(BlockPool, LimitsItsIdleMemory) {
  const auto pool = std::make_shared<BlockPool>(100'000);
  auto kept = pool->Take(60'000);
  auto beyond = pool->Take(60'000);
  const std::byte* const first = kept.get();
  kept.reset();
  beyond.reset();  // Goes back to the system.
  EXPECT_EQ(pool->Take(60'000).get(), first);
  EXPECT_NE(pool->Take(200'000), nullptr);
}

TEST(BlockPool, CanEndBeforeItsBlocks) {
  auto pool = std::make_shared<BlockPool>(1 << 20);
  const auto block = pool->Take(5000);
  pool.reset();
  std::memset(block.get(), 1, 5000);
}

TEST(BlockPool, ReturnsNullWithoutMemory) {
  EXPECT_EQ(std::make_shared<BlockPool>(0)->Take(std::size_t{1} << 62), nullptr);
}

}  // namespace
}  // namespace gcsflux::internal
