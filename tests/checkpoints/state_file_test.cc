#include "checkpoints/state_file.h"

#include <gmock/gmock.h>

#include "base/crc32c.h"
#include "checkpoints/text_value.h"
#include "gcsflux/checkpoints/checkpoint.h"
#include "support/result.h"
#include "support/stored_objects.h"

namespace gcsflux {
namespace {

using internal::StateContents;
using ::testing::ElementsAre;
using testing::RandomBytes;
using testing::Text;
using testing::ValueOf;

// Two tensors of one storage, one of them turned; one alone; one within a list; an empty one.
class StateFileTest : public ::testing::Test {
 protected:
  StateFileTest() {
    pickled::Dict net{.kind = pickled::DictKind::kOrderedDict};
    net.entries = {{Text("weight"), {.any = TensorLayout{.shape = {4, 8}, .strides = {8, 1}}}},
                   {Text("turned"), {.any = TensorLayout{.offset = 8, .shape = {8, 2}, .strides = {1, 8}}}}};
    pickled::List list{
        .items = {{.any = std::int64_t{7}}, {.any = TensorLayout{.dtype = DType::kInt64, .storage = 1}}}};
    pickled::Dict root;
    root.entries = {{Text("net"), {.any = net}},
                    {{.any = std::int64_t{3}}, {.any = list}},
                    {Text("empty"), {.any = TensorLayout{.storage = 2, .shape = {0}, .strides = {1}}}}};
    contents_ = {.root = {.any = root}, .storages = {AsBytes(first_), AsBytes(second_), {}}};
  }

  const std::string first_ = RandomBytes(128, 1);
  const std::string second_ = RandomBytes(8, 2);
  StateContents contents_;
};

TEST_F(StateFileTest, RecordsTheRangeOfEachTensor) {
  std::string file;
  std::vector<StepTensor> tensors;
  const ByteSink sink = [&](std::span<const std::byte> bytes) {
    file += testing::TextOf(bytes);
    return Result<void>();
  };
  ASSERT_TRUE(internal::WriteStateFile(contents_, sink, tensors).ok());
  const auto bytes_of = [&](const StepTensor& tensor) { return file.substr(tensor.range.begin, tensor.range.size()); };
  const auto opened = StoredCheckpoint::Open(SourceOf("file", AsBytes(file)));
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  const StoredCheckpoint& read = *opened;
  ASSERT_EQ(tensors.size(), 4U);
  ASSERT_EQ(read.tensors().size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(tensors[i].name, read.tensors()[i].name);
    EXPECT_EQ(tensors[i].shape, read.tensors()[i].layout.shape);
    EXPECT_EQ(tensors[i].crc32c, internal::ExtendCrc32c(0, AsBytes(bytes_of(tensors[i]))));
  }
  EXPECT_EQ(bytes_of(tensors[0]), first_);
  EXPECT_EQ(bytes_of(tensors[1]), first_.substr(32, 64));
  EXPECT_THAT(tensors[1].strides, ElementsAre(1, 8));
  EXPECT_EQ(bytes_of(tensors[2]), second_);
  EXPECT_EQ(bytes_of(tensors[3]), "");
}

TEST_F(StateFileTest, FitsIntoAManifest) {
  CheckpointManifest manifest{.step = 1};
  std::uint64_t size = 0;
  const ByteSink sink = [&](std::span<const std::byte> bytes) {
    size += bytes.size();
    return Result<void>();
  };
  ASSERT_TRUE(internal::WriteStateFile(contents_, sink, manifest.tensors).ok());
  manifest.files = {{"step-00000001/x-state.pt", size, 1, 0}};
  EXPECT_EQ(ValueOf(ParseManifest(ValueOf(FormatManifest(manifest)), "here")), manifest);
}

}  // namespace
}  // namespace gcsflux
