#include "transfer/composition/slice_writer.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/crc32c.h"
#include "support/fails_with.h"
#include "transfer/composition/composer.h"

namespace gcsflux::internal {
namespace {

// Some objects, and memory for each.
struct Objects {
  explicit Objects(const std::vector<std::string>& object_contents) : contents(object_contents) {
    for (const std::string& content : contents) {
      sources.push_back({.object = {"bkt", "object-" + std::to_string(sources.size())},
                         .size = content.size(),
                         .generation = 1,
                         .crc32c = ExtendCrc32c(0, AsBytes(content))});
      rooms.emplace_back(content.size());
      joined += content;
    }
    for (std::vector<std::byte>& room : rooms) destinations.push_back({.bytes = room});
  }
  [[nodiscard]] std::string InRoom(std::size_t index) const {
    return {reinterpret_cast<const char*>(rooms[index].data()), rooms[index].size()};
  }

  std::vector<std::string> contents;
  std::string joined = {};
  std::vector<DownloadSource> sources = {};
  std::vector<std::vector<std::byte>> rooms = {};
  std::vector<Destination> destinations = {};
};

TEST(SliceWriter, PutsEachByteInPlaceForAnyPieces) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    std::mt19937 random(seed);
    std::vector<std::string> contents(random() % 33);
    for (std::string& content : contents) {
      content.resize(random() % 5 == 0 ? 0 : random() % 300);
      for (char& c : content) c = static_cast<char>(random());
    }
    Objects objects(contents);
    SliceWriter writer(objects.sources, objects.destinations);
    std::span<const std::byte> rest = AsBytes(objects.joined);
    while (!rest.empty()) {
      const std::size_t range = std::min<std::size_t>(rest.size(), 1 + random() % 500);
      ASSERT_TRUE(writer.Write(rest.first(range)).ok()) << "seed " << seed;
      rest = rest.subspan(range);
    }
    ASSERT_TRUE(writer.Finish().ok()) << "seed " << seed;
    for (std::size_t i = 0; i < contents.size(); ++i) EXPECT_EQ(objects.InRoom(i), contents[i]) << "seed " << seed;
  }
}

TEST(SliceWriter, AllocatesAnObjectAtItsFirstByte) {
  Objects objects({"first", "", "third"});
  int taken = 0;
  for (Destination& destination : objects.destinations) {
    destination.take = [&taken, bytes = std::exchange(destination.bytes, {})]() -> Result<Destination> {
      ++taken;
      return Destination{.bytes = bytes};
    };
  }
  SliceWriter writer(objects.sources, objects.destinations);
  const auto bytes = AsBytes(objects.joined);
  EXPECT_EQ(taken, 0);
  ASSERT_TRUE(writer.Write(bytes.first(3)).ok());
  ASSERT_TRUE(writer.Write(bytes.subspan(3, 2)).ok());
  EXPECT_EQ(taken, 1);
  ASSERT_TRUE(writer.Write(bytes.subspan(5)).ok());
  EXPECT_EQ(taken, 2) << "an empty object needs none";
  ASSERT_TRUE(writer.Finish().ok());
  EXPECT_EQ(objects.InRoom(2), "third");
}

TEST(SliceWriter, FailsWithoutMemory) {
  Objects objects({"first", "second"});
  objects.destinations[1] = {.take = [] {
    return Result<Destination>(Error{ErrorCode::kInvalidArgument, "no memory"});
  }};
  SliceWriter writer(objects.sources, objects.destinations);
  const auto written = writer.Write(AsBytes(objects.joined));
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().message, "no memory");
  EXPECT_FALSE(objects.destinations[0].has_no_memory);
  EXPECT_TRUE(objects.destinations[1].has_no_memory);
}

TEST(SliceWriter, NamesAnObjectWithWrongBytes) {
  Objects objects({"first", "second", "third"});
  objects.joined[7] = '!';
  SliceWriter writer(objects.sources, objects.destinations);
  const auto written = writer.Write(AsBytes(objects.joined));
  ASSERT_TRUE(testing::FailsWith(written, ErrorCode::kCorrupted));
  EXPECT_NE(written.error().message.find("gs://bkt/object-1"), std::string::npos) << written.error().message;
}

TEST(SliceWriter, AcceptsBytesOfASourceWithoutAChecksum) {
  Objects objects({"first", "second"});
  objects.sources[1].crc32c.reset();
  objects.joined.back() = '!';
  SliceWriter writer(objects.sources, objects.destinations);
  EXPECT_TRUE(writer.Write(AsBytes(objects.joined)).ok());
  EXPECT_TRUE(writer.Finish().ok());
}

TEST(SliceWriter, DetectsMissingBytes) {
  Objects objects({"first", "second"});
  objects.joined.pop_back();
  SliceWriter writer(objects.sources, objects.destinations);
  ASSERT_TRUE(writer.Write(AsBytes(objects.joined)).ok());
  EXPECT_FALSE(writer.Finish().ok());
}

TEST(SliceWriter, DetectsExcessBytes) {
  Objects objects({"first", "second"});
  SliceWriter writer(objects.sources, objects.destinations);
  EXPECT_FALSE(writer.Write(AsBytes(objects.joined + "!")).ok());
}

TEST(CheckComposite, ComparesTheCompositeWithItsSources) {
  const Objects objects({"first", "second", ""});
  const std::uint32_t crc32c = ExtendCrc32c(0, AsBytes(objects.joined));
  const ObjectMetadata good{.bucket = "bkt", .name = "composite", .size = 11, .crc32c = crc32c};
  EXPECT_TRUE(CheckComposite(good, objects.sources).ok());
  ObjectMetadata longer = good;
  ++longer.size;
  EXPECT_FALSE(CheckComposite(longer, objects.sources).ok());
  ObjectMetadata other = good;
  other.crc32c = crc32c ^ 1U;
  EXPECT_FALSE(CheckComposite(other, objects.sources).ok());
  auto unknown = objects.sources;
  unknown[1].crc32c.reset();
  EXPECT_TRUE(CheckComposite(other, unknown).ok()) << "nothing is known to compare with";
}

}  // namespace
}  // namespace gcsflux::internal
