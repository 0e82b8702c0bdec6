#include "formats/bytes/boxes.h"

#include <gtest/gtest.h>

#include <vector>

namespace gcsflux::internal {
namespace {

// Each element of a tensor with 2 elements in each dimension, as a slice of its own.
struct Elements {
  explicit Elements(int dimensions) : shape(static_cast<std::size_t>(dimensions), 2), ones(shape.size(), 1) {
    const std::size_t count = std::size_t{1} << shape.size();
    for (std::size_t element = 0; element < count; ++element) {
      auto& place = offsets.emplace_back();
      for (std::size_t i = 0; i < shape.size(); ++i) place.push_back(static_cast<std::int64_t>(element >> i & 1));
    }
    for (const auto& place : offsets) boxes.push_back({place, ones});
  }

  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> ones;
  std::vector<std::vector<std::int64_t>> offsets;
  std::vector<Box> boxes;
};

TEST(Boxes, TileAShapeExactlyOnce) {
  Elements elements(12);
  EXPECT_TRUE(DoTile(elements.boxes, elements.shape));
  elements.boxes.back() = elements.boxes.front();
  EXPECT_FALSE(DoTile(elements.boxes, elements.shape)) << "one twice, and one not at all";
  elements.boxes.pop_back();
  EXPECT_FALSE(DoTile(elements.boxes, elements.shape)) << "a hole";
}

// Comparing each pair would take hours: a manifest of some 10 MB can announce this many.
TEST(Boxes, LimitTheirComparisons) {
  const Elements elements(20);
  EXPECT_FALSE(DoTile(elements.boxes, elements.shape));
}

// As many in a row are compared only with their neighbours.
TEST(Boxes, TileARowOfAnyLength) {
  constexpr std::int64_t kCount = std::int64_t{1} << 20;
  const std::vector<std::int64_t> shape = {kCount};
  const std::vector<std::int64_t> one = {1};
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(kCount));
  for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = static_cast<std::int64_t>(i);
  std::vector<Box> boxes;
  boxes.reserve(offsets.size());
  for (const std::int64_t& offset : offsets) boxes.push_back({{&offset, 1}, one});
  EXPECT_TRUE(DoTile(boxes, shape));
}

}  // namespace
}  // namespace gcsflux::internal
