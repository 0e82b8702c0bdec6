#include "transfer/object_reader/chunk_memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "support/process_memory.h"

namespace gcsflux::internal {
namespace {

constexpr std::size_t kChunk = 4U << 20;
constexpr std::uint64_t kLarge = 1U << 30;

TEST(ChunkMemory, IsMappedOnlyForALargeObject) {
  EXPECT_FALSE(MakeChunkMemory(kChunk, kChunk).get_deleter().is_mapped);
  EXPECT_TRUE(MakeChunkMemory(kChunk, kLarge).get_deleter().is_mapped);
  EXPECT_TRUE(MakeChunkMemory(1U << 20, kLarge).get_deleter().is_mapped);
  EXPECT_FALSE(MakeChunkMemory(100, kLarge).get_deleter().is_mapped);
}

// malloc() keeps it: it has seen such a length before, and a block follows it.
TEST(ChunkMemory, ReturnsToTheSystemForALargeObject) {
  std::memset(MakeChunkMemory(2 * kChunk, 0).get(), 1, 1);
  const std::uint64_t before = testing::MemoryFigure(getpid(), "VmRSS");
  std::vector<ChunkMemory> chunks;
  for (int i = 0; i < 16; ++i) {
    chunks.push_back(MakeChunkMemory(kChunk, kLarge));
    std::memset(chunks.back().get(), 1, kChunk);
  }
  const ChunkMemory behind = MakeChunkMemory(100U << 10, kLarge);
  chunks.clear();
  const std::uint64_t after = testing::MemoryFigure(getpid(), "VmRSS");
  EXPECT_LT(after - std::min(before, after), kChunk);
}

}  // namespace
}  // namespace gcsflux::internal
