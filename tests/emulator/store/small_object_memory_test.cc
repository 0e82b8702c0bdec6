// The heap that a small object needs, by malloc's own count. Not for sanitizers, which have their own heap.

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "emulator/support/heap_bytes.h"
#include "store/buckets/bucket.h"

namespace gcsflux::emulator {
namespace {

// As an upload makes them.
BodyPtr Received(std::string_view bytes) {
  RopeBuilder builder(bytes.size());
  std::memcpy(builder.Buffer().data(), bytes.data(), bytes.size());
  builder.Commit(bytes.size());
  return std::make_shared<const Body>(builder.Build());
}

TEST(StoredObject, NeedsAtMost400BytesOfOverhead) {
  constexpr std::size_t kObjects = 100'000;
  constexpr std::string_view kBytes = "sixteen bytes ok";
  Bucket bucket({.name = "bucket"}, [] { return Time(std::chrono::seconds(1'800'000'000)); });
  std::size_t own_bytes = 0;
  const std::size_t before = HeapBytes();
  for (std::size_t i = 0; i < kObjects; ++i) {
    std::string name = "directory/of/many/small/objects/" + std::to_string(1'000'000 + i);
    own_bytes += name.size() + kBytes.size();
    ASSERT_TRUE(bucket.InsertObject(
        {.name = std::move(name), .attributes = {.content_type = "image/png"}, .body = Received(kBytes)}, {}));
  }
  const std::size_t taken = HeapBytes() - before;
  ASSERT_GT(taken, own_bytes);
  const std::size_t beside = (taken - own_bytes) / kObjects;
  RecordProperty("bytes_per_object", static_cast<int>(beside));
  EXPECT_LE(beside, 400U);
}

}  // namespace
}  // namespace gcsflux::emulator
