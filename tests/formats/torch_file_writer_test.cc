#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "formats/memory_file.h"
#include "formats/random_checkpoint.h"
#include "formats/read_storage.h"
#include "formats/torch_file.h"
#include "support/fails_with.h"
#include "support/result.h"

namespace gcsflux::formats_tests {
namespace {

using pickled::Value;
using ::testing::HasSubstr;

TEST(TorchFileWriter, RoundTripsRandomCheckpoints) {
  std::size_t tensors = 0;
  for (unsigned seed = 0; seed < 1'000; ++seed) {
    const RandomCheckpoint checkpoint = MakeRandomCheckpoint(seed);
    const std::string archive = FileOf(checkpoint);
    const auto file = StoredCheckpoint::Open(SourceOver(archive));
    ASSERT_TRUE(file.ok()) << "seed " << seed << ": " << file.error().message;
    auto root = file->reader().ReadValue();
    ASSERT_TRUE(root.ok()) << "seed " << seed << ": " << root.error().message;
    ASSERT_TRUE(WithWrittenStorages(*file, *std::move(root)) == checkpoint.contents.root) << "seed " << seed;
    ASSERT_TRUE(file->refused().empty()) << "seed " << seed << ": " << file->refused().front().why;
    for (std::size_t i = 0; i < file->reader().storages().size(); ++i) {
      std::string bytes(static_cast<std::size_t>(file->reader().storages()[i].bytes), '\0');
      ASSERT_TRUE(ReadStorage(*file, i, std::as_writable_bytes(std::span(bytes))).ok()) << "seed " << seed;
      ASSERT_EQ(bytes, checkpoint.storages[std::stoull(file->reader().storages()[i].key)]) << "seed " << seed;
    }
    tensors += file->tensors().size();
  }
  EXPECT_GT(tensors, 1'500U);
}

// Element by element: the expected value by index, from the storage's bytes.
TEST(TorchFileWriter, GathersTensorsOfAnyStrides) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    const RandomCheckpoint checkpoint = MakeRandomCheckpoint(seed);
    const std::string archive = FileOf(checkpoint);
    const auto file = StoredCheckpoint::Open(SourceOver(archive));
    ASSERT_TRUE(file.ok()) << file.error().message;
    for (const StoredTensor& tensor : file->tensors()) {
      const TensorLayout& layout = tensor.layout;
      const std::size_t element = ElementBytes(layout.dtype);
      const std::string& storage = checkpoint.storages[std::stoull(file->reader().storages()[layout.storage].key)];
      std::string want;
      for (std::uint64_t i = 0; i < *ElementCount(layout.shape); ++i) {
        std::uint64_t rest = i;
        std::uint64_t place = layout.offset;
        for (std::size_t d = layout.shape.size(); d-- > 0;) {
          place += rest % static_cast<std::uint64_t>(layout.shape[d]) * static_cast<std::uint64_t>(layout.strides[d]);
          rest /= static_cast<std::uint64_t>(layout.shape[d]);
        }
        want += storage.substr(static_cast<std::size_t>(place) * element, element);
      }
      std::string got(want.size(), '\0');
      const auto read = file->ReadTensor(tensor, std::as_writable_bytes(std::span(got)));
      ASSERT_TRUE(read.ok()) << "seed " << seed << ": " << read.error().message;
      ASSERT_EQ(got, want) << "seed " << seed << ", " << tensor.name;
    }
  }
}

TEST(TorchFileWriter, WritesManyTensorsForOneRead) {
  unsigned seed = 0;
  while (MakeRandomCheckpoint(seed).storages.size() < 5) ++seed;
  const RandomCheckpoint checkpoint = MakeRandomCheckpoint(seed);
  const std::string archive = FileOf(checkpoint);
  ByteSource source = SourceOver(archive);
  int calls = 0;
  std::size_t ranges = 0;
  source.read_all = [&calls, &ranges, read_at = source.read_at](std::span<const RangeRead> reads,
                                                                std::optional<Checksum>) -> Result<ReadSums> {
    ++calls;
    ranges += reads.size();
    for (auto read = reads.rbegin(); read != reads.rend(); ++read) {  // In any order.
      if (auto done = read_at(read->offset, read->into); !done.ok()) return done.error();
    }
    return ReadSums();
  };
  const auto file = internal::TorchFile::Open(source);
  ASSERT_TRUE(file.ok()) << file.error().message;
  ASSERT_GT(file->tensors().size(), 2U);
  std::vector<std::string> together;
  for (const StoredTensor& tensor : file->tensors()) {
    const std::size_t count = static_cast<std::size_t>(*ElementCount(tensor.layout.shape));
    together.emplace_back(count * ElementBytes(tensor.layout.dtype), '\0');
  }
  std::vector<TensorRead> reads;
  for (std::size_t i = 0; i < together.size(); ++i) {
    reads.push_back({&file->tensors()[i], std::as_writable_bytes(std::span(together[i]))});
  }
  calls = 0;
  ASSERT_TRUE(file->ReadTensors(reads).ok());
  EXPECT_EQ(calls, 1) << "the local headers, and the bytes where they are guessed to be";
  EXPECT_GT(ranges, 2U);
  for (std::size_t i = 0; i < together.size(); ++i) {
    std::string alone(together[i].size(), '\0');
    const TensorRead one{&file->tensors()[i], std::as_writable_bytes(std::span(alone))};
    ASSERT_TRUE(file->ReadTensors({&one, 1}).ok());
    EXPECT_EQ(alone, together[i]) << file->tensors()[i].name;
  }
}

Result<void> Written(Value root, std::vector<std::uint64_t> storage_bytes = {}) {
  const StorageWriter nothing = [](std::size_t, const ByteSink&) { return Result<void>(); };
  std::string file;
  return WriteTorchFile({.root = std::move(root), .storage_bytes = std::move(storage_bytes)}, nothing, SinkInto(file));
}

TEST(TorchFileWriter, RefusesValuesThatTorchLoadCannotRead) {
  Value nested;
  for (int i = 0; i < 300; ++i) nested = {.any = pickled::List{{std::move(nested)}}};
  const TensorLayout outside{.offset = 1, .shape = {2}, .strides = {1}};
  const TensorLayout unknown{.dtype = DType::kFloat8E5m2, .shape = {2}, .strides = {1}};
  struct Case {
    const char* why;
    Value root;
    std::vector<std::uint64_t> storages = {};
  };
  for (const Case& one :
       {Case{"256 levels", nested}, Case{"UTF-8", {.any = std::string("\xFF")}},
        Case{"frozenset", {.any = pickled::Set{{}, true}}},
        Case{"Counter", {.any = pickled::Dict{.kind = pickled::DictKind::kCounter}}},
        Case{"defaultdict", {.any = pickled::Dict{.kind = pickled::DictKind::kDefaultDict}}},
        Case{"class", {.any = pickled::Dict{.kind = pickled::DictKind::kObject}}},
        Case{"NumPy", {.any = pickled::NumericArray{}}}, Case{"refused", {.any = pickled::Refused{"x"}}},
        Case{"255 bytes", {.any = pickled::LongInteger{std::string(256, '\1')}}},
        Case{"no storage 0", {.any = TensorLayout{}}}, Case{"leaves its storage", {.any = outside}, {8}},
        Case{"float8_e5m2", {.any = unknown}, {8}}, Case{"whole elements", {.any = TensorLayout{}}, {5}},
        Case{"two types",
             {.any = pickled::List{{{.any = TensorLayout{}}, {.any = TensorLayout{.dtype = DType::kInt32}}}}},
             {4}}}) {
    EXPECT_TRUE(testing::FailsWith(Written(one.root, one.storages), ErrorCode::kInvalidArgument, HasSubstr(one.why)))
        << one.why;
  }
}

TEST(TorchFileWriter, RefusesAStorageOfAnotherLength) {
  EXPECT_EQ(testing::ErrorOf(Written({.any = TensorLayout{}}, {4})).code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace gcsflux::formats_tests
