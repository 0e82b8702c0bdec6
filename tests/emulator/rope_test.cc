#include "store/rope.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>

namespace gcsflux::emulator {
namespace {

// Hands `text` to a builder in steps of random sizes.
Rope BuildInSteps(const std::string& text, std::optional<std::uint64_t> expected_size, std::mt19937& random) {
  RopeBuilder builder(expected_size);
  std::size_t at = 0;
  while (at < text.size()) {
    const std::span<std::byte> room = builder.Room();
    const std::size_t step = std::min({room.size(), text.size() - at, std::size_t{1} + random() % 50'000});
    std::memcpy(room.data(), text.data() + at, step);
    builder.Commit(step);
    at += step;
  }
  return builder.Build();
}

std::string RandomText(std::mt19937& random, std::size_t size) {
  std::string text(size, '\0');
  for (char& c : text) c = static_cast<char>('a' + random() % 26);
  return text;
}

TEST(RopeBuilder, KeepsEveryByteInOrder) {
  std::mt19937 random(2);
  for (const std::size_t size : {0, 1, 100, 16'384, 16'385, 5'000'000}) {
    const std::string text = RandomText(random, size);
    EXPECT_TRUE(BuildInSteps(text, std::nullopt, random).ToString() == text) << size << " bytes, unknown before";
    EXPECT_TRUE(BuildInSteps(text, size, random).ToString() == text) << size << " bytes, known before";
  }
}

TEST(RopeBuilder, TakesNoMoreMemoryThanExpected) {
  RopeBuilder builder(100);
  EXPECT_EQ(builder.Room().size(), 100U);
}

TEST(RopeBuilder, CanBeUsedAgainAfterBuild) {
  RopeBuilder builder;
  builder.Room()[0] = std::byte{'a'};
  builder.Commit(1);
  EXPECT_EQ(builder.Build().ToString(), "a");
  EXPECT_EQ(builder.size(), 0U);
  EXPECT_EQ(builder.Build().ToString(), "");
}

TEST(Rope, SlicesAndAppendsLikeAString) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  Rope rope;
  std::string text;
  for (int step = 0; step < 300; ++step) {
    if (random() % 2 == 0 && text.size() < 100'000) {
      const std::string piece = RandomText(random, random() % 300);
      rope.Append(Rope(piece));
      text += piece;
    } else {
      const std::size_t offset = random() % (text.size() + 1);
      const std::size_t length = random() % (text.size() - offset + 1);
      const Rope slice = rope.Slice(offset, length);
      ASSERT_EQ(slice.ToString(), text.substr(offset, length));
      ASSERT_EQ(slice.size(), length);
      if (random() % 4 == 0 && text.size() + length < 100'000) {
        rope.Append(slice);
        text += text.substr(offset, length);
      }
    }
    ASSERT_EQ(rope.size(), text.size());
  }
  EXPECT_EQ(rope.ToString(), text);
}

TEST(Rope, StopsVisitingWhenTold) {
  Rope rope("one");
  rope.Append(Rope("two"));
  int visited = 0;
  EXPECT_FALSE(rope.ForEachSpan(0, 6, [&](std::span<const std::byte>) { return ++visited < 1; }));
  EXPECT_EQ(visited, 1);
}

TEST(Rope, CompactedHoldsTheSameBytes) {
  const Rope slice = Rope("the middle of it").Slice(4, 6);
  EXPECT_EQ(slice.Compact().ToString(), "middle");
}

}  // namespace
}  // namespace gcsflux::emulator
