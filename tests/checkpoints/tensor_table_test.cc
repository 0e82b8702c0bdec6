// Tensors of a manifest as a table of bytes.
#include "checkpoints/tensor_table.h"

#include <gtest/gtest.h>

#include <random>

#include "base/message.h"
#include "sharding/sharded_checkpoints.h"
#include "support/result.h"

namespace gcsflux {
namespace {

using internal::FormatTensorTable;
using internal::ParseTensorTable;
using testing::ErrorOf;
using testing::ValueOf;

// What this many ranks save of this many tensors, which each of them divides by rows: file by file.
std::vector<StepTensor> SlicesOf(int ranks, int tensors, std::int64_t rows) {
  std::vector<StepTensor> slices;
  for (int rank = 0; rank < ranks; ++rank) {
    std::uint64_t begin = 1000;
    for (int tensor = 0; tensor < tensors; ++tensor) {
      const auto [own_begin, own_end] = DivideRows(rows, {.rank = rank, .world_size = ranks});
      const std::uint64_t end = begin + static_cast<std::uint64_t>(own_end - own_begin) * 64;
      slices.push_back({.name = "layers." + std::to_string(tensor) + ".weight",
                        .file = static_cast<std::size_t>(rank),
                        .range = {begin, end},
                        .shape = {own_end - own_begin, 16},
                        .offsets = {own_begin, 0},
                        .whole_shape = {rows, 16},
                        .crc32c = static_cast<std::uint32_t>(rank * 7919 + tensor)});
      begin = end;
    }
  }
  return slices;
}

TEST(TensorTable, RoundTrips) {
  const auto slices = SlicesOf(7, 30, 1000);
  EXPECT_EQ(ParseTensorTable(FormatTensorTable(slices)), slices);
  EXPECT_EQ(ParseTensorTable(FormatTensorTable({})), std::vector<StepTensor>());
}

TEST(TensorTable, NeedsAboutFiveBytesForEachSlice) {
  const auto slices = SlicesOf(64, 200, 6400);
  EXPECT_LT(FormatTensorTable(slices).size(), slices.size() * 11 / 2);
}

// Tensors in random order with random fields.
TEST(TensorTable, RoundTripsRandomTensors) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const auto sizes = [&](std::uint64_t count) {
      std::vector<std::int64_t> list(static_cast<std::size_t>(count));
      for (auto& size : list) size = static_cast<std::int64_t>(random() >> (random() % 64));
      return list;
    };
    std::vector<StepTensor> tensors(random() % 40);
    for (StepTensor& tensor : tensors) {
      tensor.name = std::string(random() % 3, 'x');
      tensor.file = random() % 3;
      tensor.range.begin = random() % 1000;
      tensor.range.end = tensor.range.begin + (random() >> (1 + random() % 60));
      tensor.dtype = static_cast<DType>(random() % 4);
      const std::uint64_t dimensions = random() % 3;
      tensor.shape = sizes(dimensions);
      if (random() % 2 == 0) tensor.offsets = sizes(dimensions);
      if (random() % 2 == 0) tensor.whole_shape = sizes(dimensions);
      if (random() % 4 == 0) tensor.strides = sizes(dimensions);
      if (random() % 2 == 0) tensor.crc32c = static_cast<std::uint32_t>(random());
    }
    EXPECT_EQ(ParseTensorTable(FormatTensorTable(tensors)), tensors);
  }
}

TEST(TensorTable, RefusesEveryTruncation) {
  const std::string table = FormatTensorTable(SlicesOf(3, 4, 100));
  for (std::size_t length = 0; length < table.size(); ++length) {
    EXPECT_FALSE(ParseTensorTable(table.substr(0, length)).has_value()) << length;
  }
  EXPECT_FALSE(ParseTensorTable(table + "x").has_value());
}

// Each byte replaced by some others: the result, if there is one, has a limited size.
TEST(TensorTable, RefusesMalformedTables) {
  const std::string table = FormatTensorTable(SlicesOf(3, 4, 100));
  for (std::size_t at = 0; at < table.size(); ++at) {
    for (const char byte : {'\0', '\1', '\x7F', '\x80', '\xFF'}) {
      std::string changed = table;
      changed[at] = byte;
      const auto read = ParseTensorTable(changed);
      EXPECT_TRUE(!read || read->size() <= table.size()) << at;
    }
  }
}

// A short table that stands for terabytes of names.
TEST(TensorTable, LimitsTheSizeOfItsNames) {
  const std::vector<StepTensor> tensors(100, {.name = std::string(1'000'000, 'x'), .range = {0, 4}});
  const std::string table = FormatTensorTable(tensors);
  EXPECT_LT(table.size(), 1'001'000U);
  EXPECT_TRUE(internal::FitsIntoTable(tensors));
  EXPECT_TRUE(ParseTensorTable(table, 100'100'000).has_value());
  EXPECT_FALSE(ParseTensorTable(table, 99'999'999).has_value());
}

// A kind of tensor needs more memory than its bytes: a table of one tensor has one kind.
TEST(TensorTable, RefusesMoreKindsThanTensors) {
  const auto kinds_of = [](std::size_t count) {
    internal::MessageWriter kinds;
    kinds.Number(count);
    for (std::size_t i = 0; i < count; ++i) {
      kinds.Text("x");
      kinds.Number(static_cast<std::uint64_t>(DType::kFloat32));
      kinds.Sizes({});
      kinds.Sizes({});
    }
    return kinds.Take();
  };
  const std::string table = FormatTensorTable(std::vector<StepTensor>(1, {.name = "x", .range = {0, 4}}));
  const auto with = [&](std::size_t count) {
    internal::MessageReader whole(table);
    static_cast<void>(whole.Text());
    internal::MessageWriter changed;
    changed.Text(kinds_of(count));
    changed.Number(whole.Number());
    changed.Text(whole.Text());
    changed.Text(whole.Text());
    return changed.Take();
  };
  EXPECT_TRUE(ParseTensorTable(with(1)).has_value());
  EXPECT_FALSE(ParseTensorTable(with(2)).has_value());
}

CheckpointManifest ManifestOf(std::vector<StepTensor> tensors, int files) {
  CheckpointManifest manifest{.run = "r", .step = 3, .writer = "w", .tensors = std::move(tensors)};
  for (int file = 0; file < files; ++file) {
    manifest.files.push_back({"step-00000003/" + std::to_string(file), std::uint64_t{1} << 40, 1, 0});
  }
  return manifest;
}

TEST(TensorTable, IsUsedByManifestsWithManySlices) {
  const CheckpointManifest few = ManifestOf(SlicesOf(3, 10, 100), 3);
  const CheckpointManifest many = ManifestOf(SlicesOf(310, 100, 1000), 310);
  const std::string listed = ValueOf(FormatManifest(few));
  const std::string table = ValueOf(FormatManifest(many));
  EXPECT_NE(listed.find("\"gcsflux_checkpoint\":1"), listed.npos) << "older programs read it";
  EXPECT_NE(table.find("\"gcsflux_checkpoint\":2"), table.npos);
  EXPECT_LT(table.size(), many.tensors.size() * 9);
  EXPECT_EQ(ValueOf(ParseManifest(table, "here")), many);
  CheckpointManifest holey = many;
  holey.tensors.pop_back();
  EXPECT_NE(ErrorOf(FormatManifest(holey)).message.find("do not make a whole"), std::string::npos);
}

}  // namespace
}  // namespace gcsflux
