// Checkpoints from memory of the program's own, against the emulator and on disk.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "gcsflux/checkpoints/checkpoint.h"
#include "gcsflux/emulator/emulator.h"
#include "support/fails_with.h"
#include "support/result.h"
#include "support/test_directory.h"

namespace gcsflux {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;
namespace fs = std::filesystem;
using Metadata = std::vector<std::pair<std::string, std::string>>;

constexpr std::array<float, 6> kWeight = {1, 2, 3, 4, 5, 6.5};
constexpr std::array<std::int64_t, 1> kSteps = {42};
constexpr std::array<std::uint8_t, 3> kBytes = {7, 8, 9};

template <class Numbers>
std::span<const std::byte> BytesOf(const Numbers& numbers) {
  return std::as_bytes(std::span(numbers));
}

TensorWrite Weight(std::string_view name = "weight") {
  return {.name = name, .dtype = DType::kFloat32, .shape = {2, 3}, .elements = BytesOf(kWeight)};
}

std::vector<TensorWrite> SomeTensors() {
  return {{.name = "bytes", .dtype = DType::kUint8, .shape = {3}, .elements = BytesOf(kBytes)},
          Weight(),
          {.name = "steps", .dtype = DType::kInt64, .elements = BytesOf(kSteps)},
          {.name = "empty", .dtype = DType::kBfloat16, .shape = {0, 4}}};
}

class SaveTensorsTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(client_.InsertBucket("bkt").ok()); }

  [[nodiscard]] std::string PathOf(const std::string& name) const { return directory_.path() / name; }
  [[nodiscard]] std::size_t Objects() const {
    return testing::ValueOf(ListPrefix(client_, {"bkt", ""})).objects.size();
  }
  [[nodiscard]] StoredCheckpoint Open(const std::string& uri) const {
    auto checkpoint = OpenCheckpoint(client_, uri);
    EXPECT_TRUE(checkpoint.ok()) << uri;
    return *std::move(checkpoint);  // There is no empty one to go on with.
  }
  [[nodiscard]] bool IsDirectoryEmpty() const { return fs::is_empty(directory_.path()); }

  // What is refused, both as an object and as a file.
  void ExpectRefused(const std::vector<TensorWrite>& tensors, const Metadata& metadata, const char* words) const {
    for (const std::string& uri : {std::string("gs://bkt/refused.safetensors"), PathOf("refused.safetensors")}) {
      EXPECT_TRUE(testing::FailsWith(SaveTensors(client_, uri, tensors, metadata), ErrorCode::kInvalidArgument,
                                     HasSubstr(words)))
          << words;
    }
    EXPECT_EQ(Objects(), 0) << words;
    EXPECT_TRUE(IsDirectoryEmpty()) << words;
  }

  emulator::Emulator emulator_;
  Client client_ = *Client::Create(
      {.endpoint = emulator_.endpoint(), .project = "p", .retry = RetryPolicies::All({.max_attempts = 1})});
  testing::TestDirectory directory_;
};

void ExpectHoldsSomeTensors(const StoredCheckpoint& checkpoint) {
  EXPECT_EQ(checkpoint.format(), CheckpointFormat::kSafetensors);
  for (const TensorWrite& want : SomeTensors()) {
    const StoredTensor tensor = testing::ValueOf(checkpoint.Find(want.name));
    EXPECT_EQ(tensor.layout.dtype, want.dtype);
    EXPECT_EQ(tensor.layout.shape, want.shape);
    std::vector<std::byte> elements(want.elements.size());
    ASSERT_TRUE(checkpoint.ReadTensor(tensor, elements).ok());
    EXPECT_TRUE(std::ranges::equal(elements, want.elements)) << want.name;
    EXPECT_TRUE(checkpoint.Crc32c(tensor)) << want.name;
  }
  EXPECT_EQ(checkpoint.tensors().size(), SomeTensors().size());
}

TEST_F(SaveTensorsTest, WritesWhatStoredCheckpointReads) {
  for (const std::string& uri : {std::string("gs://bkt/run/model.safetensors"), PathOf("model.safetensors")}) {
    const auto saved = SaveTensors(client_, uri, SomeTensors(), {{"epoch", "3"}});
    ASSERT_TRUE(saved.ok()) << saved.error().message;
    const StoredCheckpoint checkpoint = Open(uri);
    EXPECT_EQ(saved->size, checkpoint.size());
    ExpectHoldsSomeTensors(checkpoint);
    EXPECT_THAT(checkpoint.metadata(), UnorderedElementsAre(Pair("epoch", "3"), Pair("format", "pt")));
    EXPECT_THAT(testing::ValueOf(VerifyCheckpoint(checkpoint)), Each(Field(&VerifiedStorage::is_verified, true)));
    EXPECT_EQ(testing::ValueOf(checkpoint.VerifyWhole()), uri.starts_with("gs://"));
  }
}

TEST_F(SaveTensorsTest, WritesWhatBecomesAFileOfTorchSave) {
  ASSERT_TRUE(SaveTensors(client_, "gs://bkt/m.safetensors", {{Weight()}}).ok());
  ASSERT_TRUE(
      ConvertCheckpoint(client_, "gs://bkt/m.safetensors", PathOf("m.pt"), {.format = CheckpointFormat::kTorchFile})
          .ok());
  const StoredCheckpoint checkpoint = Open(PathOf("m.pt"));
  EXPECT_EQ(checkpoint.format(), CheckpointFormat::kTorchFile);
  std::array<float, 6> weight{};
  ASSERT_TRUE(
      checkpoint.ReadTensor(testing::ValueOf(checkpoint.Find("weight")), std::as_writable_bytes(std::span(weight)))
          .ok());
  EXPECT_EQ(weight, kWeight);
}

TEST_F(SaveTensorsTest, WritesNoTensorsAtAll) {
  ASSERT_TRUE(SaveTensors(client_, "gs://bkt/none", {}).ok());
  EXPECT_EQ(Open("gs://bkt/none").tensors().size(), 0);
}

TEST_F(SaveTensorsTest, KeepsTheCallersFormat) {
  ASSERT_TRUE(SaveTensors(client_, "gs://bkt/np", {{Weight()}}, {{"format", "np"}}).ok());
  EXPECT_THAT(Open("gs://bkt/np").metadata(), ElementsAre(Pair("format", "np")));
}

TEST_F(SaveTensorsTest, SendsALargeTensorAsParts) {
  const std::vector<float> large(std::size_t{5} << 20, 0.25F);
  const TensorWrite tensor{.name = "large", .shape = {5, 1 << 20}, .elements = BytesOf(large)};
  ASSERT_TRUE(SaveTensors(client_, "gs://bkt/large", {{tensor}}, {}, {.part_bytes = 5U << 20}).ok());
  EXPECT_EQ(Objects(), 1) << "no part stays";
  const StoredCheckpoint checkpoint = Open("gs://bkt/large");
  const auto storages = testing::ValueOf(VerifyCheckpoint(checkpoint));
  EXPECT_THAT(storages, ElementsAre(AllOf(Field(&VerifiedStorage::is_verified, true),
                                          Field(&VerifiedStorage::bytes, tensor.elements.size()))));
  EXPECT_TRUE(testing::ValueOf(checkpoint.VerifyWhole()));
}

TEST_F(SaveTensorsTest, RefusesWrongNames) {
  ExpectRefused({Weight("a"), Weight("a")}, {}, "'a' is there twice");
  ExpectRefused({Weight("__metadata__")}, {}, "__metadata__");
  ExpectRefused({Weight("")}, {}, "a tensor has no name");
  ExpectRefused({Weight("\xFF")}, {}, "not UTF-8");
}

TEST_F(SaveTensorsTest, RefusesNamesThatFillTheHeader) {
  const std::string name(std::size_t{51} << 20, 'n');  // Twice in the header: once with the checksum.
  EXPECT_TRUE(testing::FailsWith(SaveTensors(client_, "gs://bkt/refused", {{Weight(name)}}),
                                 ErrorCode::kInvalidArgument, HasSubstr("shorten the names")));
  EXPECT_EQ(Objects(), 0);
}

TEST_F(SaveTensorsTest, RefusesElementsOfAnotherLength) {
  TensorWrite tensor = Weight();
  tensor.elements = tensor.elements.first(20);
  ExpectRefused({tensor}, {}, "tensor 'weight' of float32 [2, 3] is given 20 bytes");
  tensor.elements = BytesOf(kBytes);
  ExpectRefused({tensor}, {}, "is given 3 bytes");
  tensor = Weight();
  tensor.shape = {2, -3};
  ExpectRefused({tensor}, {}, "[2, -3] is given 24 bytes");
  tensor.shape = {std::int64_t{1} << 62, 8};
  ExpectRefused({tensor}, {}, "is given 24 bytes");
}

TEST_F(SaveTensorsTest, RefusesTypesThatSafetensorsLacks) {
  TensorWrite tensor = Weight();
  tensor.dtype = DType::kComplex32;
  ExpectRefused({tensor}, {}, "complex32");
}

TEST_F(SaveTensorsTest, RefusesMetadataThatReadersUnderstandOtherwise) {
  for (const char* key : {"crc32c:weight", "gcsflux.state", "DCP_SHARDING_INFO"}) {
    ExpectRefused({Weight()}, {{key, "1"}}, key);
  }
  ExpectRefused({Weight()}, {{"a", "1"}, {"a", "2"}}, "'a' is there twice");
  ExpectRefused({Weight()}, {{"a", "\xFF"}}, "not UTF-8");
}

// The name has its earlier content.
TEST_F(SaveTensorsTest, ReplacesNothingIfItFails) {
  ASSERT_TRUE(SaveTensors(client_, "gs://bkt/m", SomeTensors()).ok());
  EXPECT_FALSE(SaveTensors(client_, "gs://bkt/m", {{Weight("a"), Weight("a")}}).ok());
  EXPECT_TRUE(testing::FailsWith(SaveTensors(client_, "gs://bkt/m", {{Weight()}}, {}, {.mode = WriteMode::kCreate}),
                                 ErrorCode::kPreconditionFailed, HasSubstr("m")));
  ExpectHoldsSomeTensors(Open("gs://bkt/m"));
}

}  // namespace
}  // namespace gcsflux
