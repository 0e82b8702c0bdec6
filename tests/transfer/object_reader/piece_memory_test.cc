#include "transfer/object_reader/piece_memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "support/process_memory.h"

namespace gcsflux::internal {
namespace {

// How much longer the process's memory is after many pieces were filled and given back. malloc() may keep them: it has
// seen such lengths before, and something behind them stays.
std::uint64_t KeptBytes(std::uint64_t object_size) {
  constexpr std::size_t kPiece = 4U << 20;
  std::memset(MakePieceMemory(2 * kPiece, 0).get(), 1, 1);
  const std::uint64_t before = testing::MemoryFigure(getpid(), "VmRSS");
  std::vector<PieceMemory> pieces;
  for (int i = 0; i < 16; ++i) {
    pieces.push_back(MakePieceMemory(kPiece, object_size));
    std::memset(pieces.back().get(), 1, kPiece);
  }
  const PieceMemory behind = MakePieceMemory(100U << 10, object_size);
  pieces.clear();
  const std::uint64_t after = testing::MemoryFigure(getpid(), "VmRSS");
  return after - std::min(before, after);
}

TEST(PieceMemory, OfALargeObjectGoesBackToTheSystem) {
  EXPECT_LT(KeptBytes(1U << 30), 4U << 20);
  EXPECT_GT(KeptBytes(4U << 20), 32U << 20) << "malloc() keeps nothing, so this test says nothing";
}

}  // namespace
}  // namespace gcsflux::internal
