// One checkpoint becomes many files, and is the same checkpoint.
#include "sharding/shard_checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "formats/made_tensors.h"
#include "support/fails_with.h"
#include "support/result.h"

namespace gcsflux {
namespace {

using namespace formats_tests;  // NOLINT(google-build-using-namespace): what makes the files.
using ::testing::AllOf;
using testing::ErrorOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;
using testing::ValueOf;

StoredCheckpoint Opened(const std::string& file) { return *StoredCheckpoint::Open(SourceOver(file)); }

/// Keeps the files in memory.
class ShardCheckpointTest : public ::testing::Test {
 protected:
  Result<internal::WrittenShards> Write(const StoredCheckpoint& checkpoint, int shards, bool is_tensors_only = false) {
    files_.clear();
    const internal::ShardWriter write_file = [&](const std::string& name,
                                                 const CheckpointWriter& write) -> Result<StepFile> {
      std::string& file = files_[name];
      if (auto written = write(SinkInto(file)); !written.ok()) return written.error();
      return StepFile{.name = name, .size = file.size()};
    };
    return internal::ShardCheckpoint(checkpoint, shards, write_file, is_tensors_only);
  }
  [[nodiscard]] StoredCheckpoint Joined() const {
    std::vector<ByteSource> sources;
    for (const auto& [name, file] : files_) sources.push_back(SourceOf(name, BytesOf(file)));
    return *internal::OpenSafetensorsFiles("joined", std::move(sources));
  }

  std::map<std::string, std::string> files_;
};

// With tensors large enough to be divided, one of them after a dimension of 1.
std::vector<MadeTensor> LargeTensors() {
  std::vector<MadeTensor> tensors = SomeTensors();
  tensors.push_back({"embedding", DType::kFloat32, {1000, 16}, Varied(64'000, 4)});
  tensors.push_back({"row", DType::kBfloat16, {1, 5000, 2}, Varied(20'000, 5)});
  tensors.push_back({"wide", DType::kUint8, {3, 9001}, Varied(27'003, 6)});
  return tensors;
}

void ExpectSame(const StoredCheckpoint& a, const StoredCheckpoint& b) {
  EXPECT_TRUE(ValueOf(CompareCheckpoints(a, b)).empty());
}

TEST_F(ShardCheckpointTest, KeepsEveryElementOfEachFormat) {
  const std::string torch = TorchFileOf(LargeTensors());
  const std::string safetensors = SafetensorsOf(LargeTensors());
  for (const std::string& file : {torch, safetensors}) {
    const StoredCheckpoint source = Opened(file);
    for (const int shards : {1, 2, 3, 7, 40}) {
      SCOPED_TRACE(std::to_string(shards) + " shards of " + std::string(FormatName(source.format())));
      const internal::WrittenShards written = ValueOf(Write(source, shards));
      EXPECT_EQ(written.files.size(), files_.size());
      EXPECT_LE(files_.size(), static_cast<std::size_t>(shards));
      ExpectSame(source, Joined());
      ExpectSame(Joined(), source);
    }
  }
}

TEST_F(ShardCheckpointTest, SpreadsTheBytes) {
  const std::string file = TorchFileOf(
      {{"large", DType::kFloat32, {50'000, 4}, Varied(800'000)}, {"small", DType::kFloat32, {4}, Varied(16)}});
  const internal::WrittenShards written = ValueOf(Write(Opened(file), 4));
  ASSERT_THAT(written.files, SizeIs(4));
  EXPECT_EQ(written.files[1].name, "shard-00002-model-00001-of-00001.safetensors");
  std::vector<std::uint64_t> bytes(4);
  for (const StepTensor& tensor : written.tensors) bytes[tensor.file] += tensor.range.size();
  for (const std::uint64_t of_file : bytes) EXPECT_LE(of_file, 220'000U);
}

TEST_F(ShardCheckpointTest, RecordsTheRangeOfEachPart) {
  const std::string file = SafetensorsOf(LargeTensors());
  const internal::WrittenShards written = ValueOf(Write(Opened(file), 3));
  for (const StepTensor& tensor : written.tensors) {
    SCOPED_TRACE(tensor.name);
    const std::string& bytes = files_.at(written.files.at(tensor.file).name);
    const auto header = ValueOf(ReadSafetensorsHeader(SourceOver(bytes)));
    const SafeTensor* const stored = &TensorIn(header, tensor.name);
    EXPECT_EQ(stored->range, tensor.range);
    EXPECT_EQ(stored->crc32c, tensor.crc32c);
    EXPECT_EQ(stored->shape, tensor.shape);
    EXPECT_EQ(tensor.offsets.empty(), tensor.whole_shape.empty());
    if (!tensor.offsets.empty()) {
      EXPECT_EQ(stored->saved_offsets, tensor.offsets);
    }
  }
}

// Half of a transposed tensor: the elements of a row are far from each other.
TEST_F(ShardCheckpointTest, DividesViews) {
  const std::string bytes = Varied(80'000);
  TensorLayout layout{.dtype = DType::kFloat32, .offset = 50, .shape = {100, 99}, .strides = {1, 200}};
  pickled::Dict dict{.kind = pickled::DictKind::kOrderedDict};
  dict.entries.push_back({{.any = std::string("view")}, {.any = std::move(layout)}});
  const TorchFileContents contents{.root = {.any = std::move(dict)}, .storage_bytes = {bytes.size()}};
  std::string file;
  ASSERT_TRUE(WriteTorchFile(
                  contents, [&](std::size_t, const ByteSink& sink) { return sink(BytesOf(bytes)); }, SinkInto(file))
                  .ok());
  const StoredCheckpoint source = Opened(file);
  ValueOf(Write(source, 3));
  EXPECT_THAT(files_, SizeIs(3));
  ExpectSame(source, Joined());
}

TEST_F(ShardCheckpointTest, DividesShardedCheckpoints) {
  const std::string file = SafetensorsOf(LargeTensors());
  const StoredCheckpoint source = Opened(file);
  ValueOf(Write(source, 5));
  const auto five = files_;
  std::vector<ByteSource> sources;
  sources.reserve(five.size());
  for (const auto& [name, bytes] : five) sources.push_back(SourceOf(name, BytesOf(bytes)));
  const StoredCheckpoint of_five = *internal::OpenSafetensorsFiles("five", std::move(sources));
  // What joins slices has their offsets in its metadata, which are no values of the caller.
  ValueOf(Write(of_five, 2));
  ExpectSame(source, Joined());
}

TEST_F(ShardCheckpointTest, DetectsAChangedSource) {
  const std::string file = SafetensorsOf({{"large", DType::kUint8, {3'000'000}, Varied(3'000'000)}}, false);
  ByteSource source = SourceOver(file);
  int reads = 0;
  const auto read_at = source.read_at;
  source.read_all = nullptr;
  source.read_at = [&](std::uint64_t offset, std::span<std::byte> into) {
    auto read = read_at(offset, into);
    if (into.size() > 1'000'000 && ++reads == 2) into.back() ^= std::byte{1};
    return read;
  };
  const StoredCheckpoint checkpoint = *StoredCheckpoint::Open(source);
  const Error error = ErrorOf(Write(checkpoint, 1));  // Streamed, for the checksum and for the file.
  EXPECT_EQ(reads, 2);
  EXPECT_TRUE(testing::FailsWith(error, ErrorCode::kCorrupted, HasSubstr("tensor 'large' has other bytes")));
}

TEST_F(ShardCheckpointTest, RefusesUnsupportedValues) {
  const std::string values = TorchFileOf(SomeTensors(), {{{.any = std::string("epoch")}, {.any = std::int64_t{3}}}});
  const StoredCheckpoint checkpoint = Opened(values);
  EXPECT_THAT(ErrorOf(Write(checkpoint, 2)).message, AllOf(StartsWith("test.pt: "), HasSubstr("'epoch'")));
  EXPECT_TRUE(files_.empty());
  EXPECT_TRUE(Write(checkpoint, 2, true).ok());
  for (const int shards : {0, -1, 100'000}) {
    EXPECT_EQ(ErrorOf(Write(checkpoint, shards, true)).code, ErrorCode::kInvalidArgument) << shards;
  }
  const std::string twice = TorchFileOf({{"x", DType::kUint8, {1}, "a"}, {"x", DType::kUint8, {1}, "b"}});
  EXPECT_THAT(ErrorOf(Write(Opened(twice), 2)).message, HasSubstr("the name 'x' is there twice"));
}

TEST_F(ShardCheckpointTest, WritesAFileForNoTensors) {
  const std::string nothing = SafetensorsOf({});
  ValueOf(Write(Opened(nothing), 4));
  EXPECT_THAT(files_, SizeIs(1));
}

}  // namespace
}  // namespace gcsflux
