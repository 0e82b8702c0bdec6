// Which bytes of stored slices form the parts that a rank wants.
#include "sharding/load_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/crc32c.h"
#include "sharding/part_bytes.h"
#include "sharding/random_parts.h"

namespace gcsflux {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::OwnedParts;
using testing::RandomParts;
using ::testing::SizeIs;

/// The slices of all ranks, each rank's in a file, without a header.
struct StoredParts {
  CheckpointManifest manifest;
  std::vector<testing::PartBytes> files;

  explicit StoredParts(const std::vector<std::vector<TensorPart>>& ranks) {
    std::set<std::string> stored;
    for (const auto& parts : ranks) {
      manifest.files.emplace_back();
      files.emplace_back();
      for (const TensorPart& part : parts) Add(part, stored);
    }
  }
  void Add(const TensorPart& part, std::set<std::string>& stored) {
    std::string key = part.name;
    for (const std::int64_t offset : part.offsets) key += " " + std::to_string(offset);
    for (const std::int64_t size : part.sizes) key += "," + std::to_string(size);
    if (!stored.insert(key).second) return;  // A copy.
    const auto bytes = testing::BytesOf(part);
    const std::uint64_t begin = files.back().size();
    StepTensor tensor{.name = part.name,
                      .file = files.size() - 1,
                      .range = {begin, begin + bytes.size()},
                      .dtype = part.dtype,
                      .shape = part.OwnShape(),
                      .crc32c = internal::ExtendCrc32c(0, bytes)};
    if (!part.offsets.empty()) {
      tensor.offsets = part.offsets;
      tensor.whole_shape = part.shape;
    }
    manifest.tensors.push_back(tensor);
    files.back().insert(files.back().end(), bytes.begin(), bytes.end());
  }
};

// Copies by the plan, and returns the number of bytes.
std::uint64_t Carry(const internal::LoadPlan& plan, const StoredParts& stored) {
  std::uint64_t copied = 0;
  for (std::size_t file = 0; file < plan.files.size(); ++file) {
    for (const RangeRead& range : plan.files[file].ranges) {
      std::memcpy(range.into.data(), stored.files[file].data() + range.offset, range.into.size());
      copied += range.into.size();
    }
  }
  return copied;
}

TEST(LoadPlan, ReadsEachByteOfRandomSlicesOnce) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomParts random(seed);
    const auto tensors = random.Tensors(1 + random.Below(10));
    const StoredParts stored(random.Of(tensors, static_cast<int>(1 + random.Below(8))));
    for (const auto& parts : random.Of(tensors, static_cast<int>(1 + random.Below(8)))) {
      OwnedParts wanted = OwnedParts::Empty(parts);
      const auto to_load = wanted.ToLoad();
      const auto plan = internal::PlanLoad(stored.manifest, to_load);
      ASSERT_THAT(plan.problems, IsEmpty());
      std::uint64_t bytes = 0;
      for (const auto& one : wanted.bytes) bytes += one.size();
      EXPECT_EQ(Carry(plan, stored), bytes);
      EXPECT_EQ(wanted.bytes, OwnedParts::Filled(parts).bytes);
    }
  }
}

TEST(LoadPlan, VerifiesWholeSlices) {
  const TensorPart whole{.name = "x", .shape = {4, 6}};
  const StoredParts stored({{*Sharded("x", DType::kFloat32, {4, 6}, {.rank = 0, .world_size = 2})},
                            {*Sharded("x", DType::kFloat32, {4, 6}, {.rank = 1, .world_size = 2})}});
  OwnedParts wanted = OwnedParts::Empty({whole});
  const auto to_load = wanted.ToLoad();
  const auto plan = internal::PlanLoad(stored.manifest, to_load);
  EXPECT_THAT(plan.files[0].whole, SizeIs(1));
  EXPECT_THAT(plan.files[1].whole, SizeIs(1));
  OwnedParts columns = OwnedParts::Empty({*Sharded("x", DType::kFloat32, {4, 6}, {.rank = 0, .world_size = 2}, 1)});
  const auto halves = columns.ToLoad();
  EXPECT_THAT(internal::PlanLoad(stored.manifest, halves).files[0].whole, IsEmpty());
}

TEST(LoadPlan, ReadsRowsInOneRange) {
  const StoredParts stored({{{.name = "x", .shape = {8, 3, 5}}}});
  OwnedParts rows = OwnedParts::Empty({*Sharded("x", DType::kFloat32, {8, 3, 5}, {.rank = 1, .world_size = 2})});
  const auto to_load = rows.ToLoad();
  const auto plan = internal::PlanLoad(stored.manifest, to_load);
  ASSERT_THAT(plan.files[0].ranges, SizeIs(1));
  EXPECT_EQ(plan.files[0].ranges[0].offset, 4U * 15 * 4);
}

TEST(LoadPlan, NamesSlicesThatCannotBeLoaded) {
  StoredParts stored({{{.name = "x", .shape = {4, 6}}, {.name = "turned", .shape = {2, 2}}}});
  stored.manifest.tensors[1].strides = {1, 2};
  OwnedParts wanted = OwnedParts::Empty({{.name = "y", .shape = {1}},
                                         {.name = "x", .shape = {4, 5}},
                                         {.name = "x", .dtype = DType::kInt32, .shape = {4, 6}},
                                         {.name = "x", .shape = {4, 6}, .offsets = {2, 0}, .sizes = {3, 6}},
                                         {.name = "turned", .shape = {2, 2}},
                                         {.name = "x", .shape = {4, 6}}});
  wanted.bytes.back().pop_back();
  const auto to_load = wanted.ToLoad();
  EXPECT_THAT(
      internal::PlanLoad(stored.manifest, to_load).problems,
      ElementsAre("tensor 'y' is not in the step", "tensor 'x' is float32 [4, 5], and in the step float32 [4, 6]",
                  "tensor 'x' is int32 [4, 6], and in the step float32 [4, 6]",
                  HasSubstr("a slice that is not within its shape"), HasSubstr("stored with strides"),
                  "tensor 'x' takes 96 bytes, and its memory has 95"));
}

}  // namespace
}  // namespace gcsflux
