// A step's file as safetensors.
#include "checkpoints/safetensors_state.h"

#include <gmock/gmock.h>

#include "base/crc32c.h"
#include "checkpoints/text_value.h"
#include "formats/checkpoint_reader.h"
#include "formats/convert_checkpoint.h"
#include "support/result.h"
#include "support/stored_objects.h"

namespace gcsflux {
namespace {

using internal::PlainTensor;
using internal::PlainTensors;
using internal::StateContents;
using internal::WriteSafetensorsState;
using pickled::Dict;
using ::testing::ElementsAre;
using testing::ErrorOf;
using ::testing::HasSubstr;
using testing::Text;
using testing::TextOf;
using testing::ValueOf;

// A module of two tensors that share a storage, one of them turned, and a number.
class SafetensorsStateTest : public ::testing::Test {
 protected:
  SafetensorsStateTest() {
    for (std::size_t i = 0; i < numbers_.size(); ++i) numbers_[i] = static_cast<float>(i);
    const Dict net{.entries = {{Text("weight"), {.any = TensorLayout{.shape = {2, 3}, .strides = {3, 1}}}},
                               {Text("turned"), {.any = TensorLayout{.shape = {3, 2}, .strides = {1, 3}}}}}};
    const Dict root{
        .entries = {{Text("net"), {.any = net}},
                    {Text("half"),
                     {.any =
                          TensorLayout{
                              .storage = 1,
                              .shape = {4},
                              .strides = {1},
                          }}},
                    {Text("empty"), {.any = TensorLayout{.storage = 1, .shape = {0}, .strides = {1}}}},
                    {Text("numbers"), {.any = Dict{.entries = {{Text("step"), {.any = std::int64_t{5}}}}}}}}};
    contents_ = {
        .root = {.any = root},
        .storages = {std::as_bytes(std::span(numbers_).first(6)), std::as_bytes(std::span(numbers_).subspan(6))}};
  }
  std::string Write(std::vector<StepTensor>& written) const {
    std::string file;
    const ByteSink sink = [&](std::span<const std::byte> bytes) {
      file += TextOf(bytes);
      return Result<void>();
    };
    const auto tensors = ValueOf(PlainTensors(contents_));
    std::vector<const PlainTensor*> all;
    all.reserve(tensors.size());
    for (const PlainTensor& tensor : tensors) all.push_back(&tensor);
    const auto done = WriteSafetensorsState(contents_, all, sink, written);
    EXPECT_TRUE(done.ok()) << done.error().message;
    return file;
  }
  static std::vector<float> Read(const StoredCheckpoint& checkpoint, const std::string& name) {
    const StoredTensor tensor = ValueOf(checkpoint.Find(name));
    std::vector<float> values(*ElementCount(tensor.layout.shape));
    EXPECT_TRUE(checkpoint.ReadTensor(tensor, std::as_writable_bytes(std::span(values))).ok());
    return values;
  }

  std::vector<float> numbers_ = std::vector<float>(10);
  StateContents contents_;
};

TEST_F(SafetensorsStateTest, StoresEachTensorInRowMajorOrder) {
  std::vector<StepTensor> written;
  const std::string file = Write(written);
  const auto checkpoint = StoredCheckpoint::Open(SourceOf("it", AsBytes(file)));
  ASSERT_TRUE(checkpoint.ok()) << checkpoint.error().message;
  EXPECT_EQ(checkpoint->format(), CheckpointFormat::kSafetensors);
  EXPECT_THAT(Read(*checkpoint, "net.weight"), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(Read(*checkpoint, "net.turned"), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THAT(Read(*checkpoint, "half"), ElementsAre(6, 7, 8, 9));
  EXPECT_EQ(*checkpoint->reader().ReadValue("numbers.step")->As<std::int64_t>(), 5);
}

TEST_F(SafetensorsStateTest, RecordsTheRangeOfEachTensor) {
  std::vector<StepTensor> written;
  const std::string file = Write(written);
  ASSERT_EQ(written.size(), 4U);
  EXPECT_EQ(written[1].name, "net.turned");
  EXPECT_THAT(written[1].shape, ElementsAre(3, 2));
  EXPECT_THAT(written[1].strides, ElementsAre());
  const auto checkpoint = StoredCheckpoint::Open(SourceOf("it", AsBytes(file)));
  for (const StepTensor& tensor : written) {
    const std::string bytes = file.substr(tensor.range.begin, tensor.range.size());
    EXPECT_EQ(tensor.crc32c, internal::ExtendCrc32c(0, AsBytes(bytes))) << tensor.name;
    const std::vector<float> values = Read(*checkpoint, tensor.name);
    EXPECT_EQ(bytes, TextOf(std::as_bytes(std::span(values)))) << tensor.name;
  }
  CheckpointManifest manifest{.step = 1, .files = {{"step-00000001/x-state.safetensors", file.size(), 1, 0}}};
  manifest.tensors = written;
  EXPECT_EQ(ValueOf(ParseManifest(ValueOf(FormatManifest(manifest)), "here")), manifest);
}

TEST_F(SafetensorsStateTest, ConvertsToATorchSaveFileWithAllValues) {
  std::vector<StepTensor> written;
  const std::string file = Write(written);
  const auto checkpoint = StoredCheckpoint::Open(SourceOf("it", AsBytes(file)));
  std::string converted;
  const ByteSink sink = [&](std::span<const std::byte> bytes) {
    converted += TextOf(bytes);
    return Result<void>();
  };
  const auto done = internal::WriteConverted(*checkpoint, CheckpointFormat::kTorchFile, sink);
  ASSERT_TRUE(done.ok()) << done.error().message;
  const auto torch_file = StoredCheckpoint::Open(SourceOf("converted", AsBytes(converted)));
  ASSERT_TRUE(torch_file.ok()) << torch_file.error().message;
  EXPECT_EQ(*torch_file->reader().ReadValue("numbers.step")->As<std::int64_t>(), 5);
  EXPECT_THAT(Read(*torch_file, "net.turned"), ElementsAre(0, 3, 1, 4, 2, 5));
  const Error lost = ErrorOf(internal::WriteConverted(*checkpoint, CheckpointFormat::kSafetensors, sink));
  EXPECT_THAT(lost.message, HasSubstr("gcsflux.state")) << "a copy would lose the values";
  converted.clear();
  ASSERT_TRUE(internal::WriteConverted(*checkpoint, CheckpointFormat::kTorchFile, sink, /*is_tensors_only=*/true).ok());
  const auto tensors_only = StoredCheckpoint::Open(SourceOf("converted", AsBytes(converted)));
  EXPECT_FALSE(tensors_only->reader().ReadValue("numbers.step").ok());
}

TEST_F(SafetensorsStateTest, RefusesATensorOutsideItsStorage) {
  contents_.storages[0] = contents_.storages[0].first(20);
  EXPECT_THAT(ErrorOf(PlainTensors(contents_)).message, HasSubstr("'net.weight' lies outside its storage"));
}

}  // namespace
}  // namespace gcsflux
