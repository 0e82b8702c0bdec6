#include "transfer/upload/part_queue.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "transfer/upload/part_bytes.h"

namespace gcsflux::internal {
namespace {

constexpr std::uint64_t kBuffer = 16U << 20;

TEST(NextPartBytes, UsesAllConnectionsForTheFirstParts) {
  EXPECT_EQ(NextPartBytes({.left = kBuffer, .queued = kBuffer, .number = 1, .concurrency = 16}), kBuffer / 3 + 1);
  EXPECT_EQ(NextPartBytes({.left = kBuffer, .queued = 8 * kBuffer, .number = 16, .concurrency = 16}), kBuffer / 2);
  EXPECT_EQ(NextPartBytes({.left = kBuffer, .queued = 13 * kBuffer, .number = 16, .concurrency = 16}), kBuffer);
}

TEST(NextPartBytes, IsABufferInTheMiddle) {
  EXPECT_EQ(NextPartBytes({.left = kBuffer, .queued = kBuffer, .number = 17, .concurrency = 16}), kBuffer);
  EXPECT_EQ(NextPartBytes({.left = kBuffer, .queued = kBuffer, .number = 1'001, .concurrency = 1'000}), kBuffer);
}

TEST(NextPartBytes, DividesTheLastBytes) {
  EXPECT_EQ(NextPartBytes({.left = kBuffer, .queued = 2 * kBuffer, .number = 100, .concurrency = 16, .is_ended = true}),
            kBuffer / 3 + 1);
  const PartCut last{.left = 8'900'000,
                     .queued = 8'900'000,
                     .number = 13,
                     .concurrency = 16,
                     .is_ended = true,
                     .is_last_buffer = true};
  EXPECT_EQ(NextPartBytes(last), kLeastPartBytes);
  for (const std::uint64_t size : {std::uint64_t{1}, kLeastPartBytes, kLeastPartBytes * 5 / 4}) {
    EXPECT_EQ(NextPartBytes({.left = size, .queued = size, .is_ended = true, .is_last_buffer = true}), size);
  }
}

std::shared_ptr<PartBuffer> BufferOf(std::size_t bytes) {
  auto buffer = std::make_shared<PartBuffer>();
  buffer->memory = std::make_unique_for_overwrite<std::byte[]>(bytes);
  buffer->capacity = bytes;
  buffer->size = bytes;
  return buffer;
}

// For connections that take parts at any time: all bytes in order, and no part but the last is shorter than the
// minimum.
TEST(PartQueue, CutsValidParts) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    PartQueue queue(1 + random() % 40);
    const std::size_t capacity = kLeastPartBytes + random() % (3 * kLeastPartBytes);
    std::size_t left = capacity * (random() % 6) + 1 + random() % capacity;
    std::vector<std::span<const std::byte>> parts;
    std::vector<std::shared_ptr<PartBuffer>> buffers;
    while (left > 0 || !queue.empty()) {
      if (left > 0 && random() % 2 == 0) {
        buffers.push_back(BufferOf(std::min(left, capacity)));
        left -= buffers.back()->size;
        queue.Add(buffers.back());
        if (left == 0) queue.End();
        continue;
      }
      if (const auto part = queue.Next()) {
        parts.push_back(part->bytes);
        EXPECT_EQ(part->number, static_cast<int>(parts.size()));
      }
    }
    EXPECT_FALSE(queue.Next());
    auto part = parts.begin();
    for (const auto& buffer : buffers) {
      for (const std::byte* at = buffer->memory.get(); at < buffer->memory.get() + buffer->size; ++part) {
        ASSERT_EQ(part->data(), at) << seed;
        at += part->size();
        ASSERT_TRUE(part->size() >= kLeastPartBytes || part + 1 == parts.end()) << seed;
      }
    }
    EXPECT_EQ(part, parts.end()) << seed;
  }
}

}  // namespace
}  // namespace gcsflux::internal
