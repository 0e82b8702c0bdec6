#include "store/bytes/rope.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>

namespace gcsflux::emulator {
namespace {

// Passes `text` to a builder in steps of random sizes.
Rope BuildInSteps(const std::string& text, std::optional<std::uint64_t> expected_size, std::mt19937& random) {
  RopeBuilder builder(expected_size);
  std::size_t at = 0;
  while (at < text.size()) {
    const std::span<std::byte> room = builder.Buffer();
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

TEST(RopeBuilder, AllocatesOnlyTheExpectedSize) {
  RopeBuilder builder(100);
  EXPECT_EQ(builder.Buffer().size(), 100U);
}

TEST(RopeBuilder, IsReusableAfterBuild) {
  RopeBuilder builder;
  builder.Buffer()[0] = std::byte{'a'};
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

// The byte at `at` of a rope.
char ByteAt(const Rope& rope, std::uint64_t at) { return rope.Slice(at, 1).ToString()[0]; }

TEST(Rope, IsReadableAnywhereAfterSelfJoins) {
  const std::string text = "0123456789abcdefghij";
  Rope rope(text);
  for (int level = 0; level < 6; ++level) {
    const Rope part = rope;
    for (int i = 1; i < 32; ++i) rope.Append(part);
  }
  const std::uint64_t size = text.size() << 30U;
  ASSERT_EQ(rope.size(), size);
  std::mt19937_64 random(5);
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t at = random() % (size - 50);
    const Rope slice = rope.Slice(at, 50);
    std::string want;
    for (std::uint64_t k = at; k < at + 50; ++k) want += text[k % text.size()];
    ASSERT_EQ(slice.ToString(), want) << at;
    std::string visited;
    rope.ForEachSpan(at, 50, [&](std::span<const std::byte> span) {
      visited.append(reinterpret_cast<const char*>(span.data()), span.size());
      return true;
    });
    ASSERT_EQ(visited, want) << at;
  }
}

TEST(Rope, IsReadableAnywhereAfterGrowthAtBothEnds) {
  Rope behind;
  Rope before;
  constexpr int kPieces = 100'000;
  for (int i = 0; i < kPieces; ++i) {
    const std::string digit = std::to_string(i % 10);
    behind.Append(Rope(digit));
    Rope first(digit);
    first.Append(before);
    before = first;
  }
  std::mt19937 random(6);
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t at = random() % kPieces;
    ASSERT_EQ(ByteAt(behind, at), static_cast<char>('0' + at % 10));
    ASSERT_EQ(ByteAt(before, at), static_cast<char>('0' + (kPieces - 1 - at) % 10));
  }
}

TEST(Rope, StopsVisitingOnRequest) {
  Rope rope("one");
  rope.Append(Rope("two"));
  int visited = 0;
  EXPECT_FALSE(rope.ForEachSpan(0, 6, [&](std::span<const std::byte>) { return ++visited < 1; }));
  EXPECT_EQ(visited, 1);
}

TEST(Rope, HoldsTheSameBytesAfterCompaction) {
  const Rope slice = Rope("the middle of it").Slice(4, 6);
  EXPECT_EQ(slice.Compact().ToString(), "middle");
}

}  // namespace
}  // namespace gcsflux::emulator
