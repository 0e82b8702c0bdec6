// The memory of a manifest's tensors, as counted by the library, and as measured.
#include <gtest/gtest.h>

#include "checkpoints/tensor_table.h"
#include "formats/heap_peak.h"

namespace gcsflux {
namespace {

using formats_tests::TakeHeapPeak;
using internal::FormatTensorTable;
using internal::MemoryOf;
using internal::ParseTensorTable;

constexpr std::size_t kTensors = 200'000;

struct Case {
  std::string what;
  StepTensor tensor;
  bool is_one_kind = true;  // Else each tensor has a name of its own.
};

std::vector<Case> Cases() {
  const std::vector<std::int64_t> row = {7};
  const std::vector<std::int64_t> box = {7, 8, 9, 10, 11};
  return {
      {"numbers without a dimension", {.name = "n"}},
      {"tiny tensors with a short name", {.name = "bias", .range = {0, 4}, .shape = {1}}},
      {"slices of one dimension", {.name = "b", .shape = row, .strides = row, .offsets = row, .whole_shape = row}},
      {"slices of five dimensions",
       {.name = "layers.weight.of.many.letters", .shape = box, .offsets = box, .whole_shape = box}},
      {"long names", {.name = std::string(300, 'x'), .shape = row}},
      {"names of their own", {.name = "a name that needs a block ", .shape = row, .whole_shape = row}, false},
  };
}

std::vector<StepTensor> TensorsOf(const Case& one) {
  std::vector<StepTensor> tensors(kTensors, one.tensor);
  if (one.is_one_kind) return tensors;
  for (std::size_t i = 0; i < tensors.size(); ++i) tensors[i].name += std::to_string(100'000 + i);
  return tensors;
}

TEST(TensorTableMemory, MatchesTheCountedSize) {
  for (const Case& one : Cases()) {
    SCOPED_TRACE(one.what);
    const std::vector<StepTensor> tensors = TensorsOf(one);
    const std::string table = FormatTensorTable(tensors);
    const std::uint64_t counted = MemoryOf(tensors.front()) * kTensors;
    TakeHeapPeak();
    const auto parsed = ParseTensorTable(table);
    const std::uint64_t taken = TakeHeapPeak();
    ASSERT_TRUE(parsed.has_value());
    EXPECT_LE(taken, counted * (one.is_one_kind ? 101 : 160) / 100);
    EXPECT_GE(taken, counted * 80 / 100);
    RecordProperty(one.what, std::to_string(taken / kTensors));
  }
}

// A table of a byte for each tensor would be 168 times as large in memory.
TEST(TensorTableMemory, IsLimitedBeforeItIsAllocated) {
  constexpr std::uint64_t kMost = 4 << 20;
  for (const Case& one : Cases()) {
    SCOPED_TRACE(one.what);
    const std::string table = FormatTensorTable(TensorsOf(one));
    TakeHeapPeak();
    EXPECT_FALSE(ParseTensorTable(table, kMost).has_value());
    EXPECT_LE(TakeHeapPeak(), kMost + (1 << 20));
  }
}

}  // namespace
}  // namespace gcsflux
