#include "transfer/object_reader/scatter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <string>

#include "base/checksum.h"

namespace gcsflux::internal {
namespace {

// Some ranges of an object, each with its memory.
struct Ranges {
  std::vector<std::string> rooms;
  std::vector<RangeRead> reads = {};
  std::vector<std::string> wanted = {};

  Ranges(const std::string& object, std::mt19937& random) : rooms(1 + random() % 8) {
    for (std::string& room : rooms) {
      const std::size_t offset = random() % object.size();
      room.resize(random() % std::min<std::size_t>(90, object.size() - offset));
      reads.push_back({offset, std::as_writable_bytes(std::span(room))});
      wanted.push_back(object.substr(offset, room.size()));
    }
  }

  [[nodiscard]] std::vector<RangeRead> NotEmpty() const {
    std::vector<RangeRead> filled;
    std::copy_if(reads.begin(), reads.end(), std::back_inserter(filled),
                 [](const RangeRead& read) { return !read.into.empty(); });
    return filled;
  }
};

// Passes these bytes of the object to it, in pieces.
void Deliver(Scatter& scatter, const std::string& object, const Range& range, std::mt19937& random) {
  for (std::uint64_t at = range.offset; at < range.end();) {
    const auto count = std::min<std::size_t>(1 + random() % 30, range.end() - at);
    scatter.Put(at, std::as_bytes(std::span(object)).subspan(at, count));
    at += count;
  }
}

std::string SomeBytes() {
  std::string object(500, '\0');
  for (std::size_t i = 0; i < object.size(); ++i) object[i] = static_cast<char>(i * 7 + i / 256);
  return object;
}

// For any ranges, in any pieces of bytes, including bytes that arrive again after damaged ones.
TEST(Scatter, WritesAndSumsEachByte) {
  const std::string object = SomeBytes();
  const std::string damaged(object.size(), 'x');
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const Checksum kind = seed % 2 == 0 ? Checksum::kCrc32 : Checksum::kCrc32c;
    Ranges ranges(object, random);
    std::vector<SummedBytes> sums;
    for (const JoinedRange& request : JoinRanges(ranges.NotEmpty(), random() % 20, 1 + random() % 60)) {
      Scatter scatter(request, kind);
      for (auto failures = random() % 3; failures > 0; --failures) {
        Deliver(scatter, damaged, {request.range.offset, random() % request.range.length}, random);
      }
      Deliver(scatter, object, request.range, random);
      for (const SummedBytes& part : scatter.TakeSums()) sums.push_back(part);
    }
    EXPECT_EQ(ranges.rooms, ranges.wanted) << "seed " << seed;
    const auto joined = JoinSums(ranges.reads, sums, kind);
    for (std::size_t i = 0; i < joined.size(); ++i) {
      EXPECT_EQ(joined[i], ExtendChecksum(kind, 0, std::as_bytes(std::span(ranges.wanted[i])))) << "seed " << seed;
    }
  }
}

TEST(Scatter, DoesNotSumByDefault) {
  std::string room(10, '\0');
  const JoinedRange request{.range = {0, 10}, .parts = {{0, std::as_writable_bytes(std::span(room))}}};
  Scatter scatter(request);
  scatter.Put(0, std::as_bytes(std::span("0123456789", 10)));
  EXPECT_EQ(room, "0123456789");
  EXPECT_TRUE(scatter.TakeSums().empty());
}

}  // namespace
}  // namespace gcsflux::internal
