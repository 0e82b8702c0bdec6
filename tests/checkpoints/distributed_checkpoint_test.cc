// PyTorch's distributed checkpoints by their URI, against the emulator and on disk.
#include <gmock/gmock.h>

#include <algorithm>

#include "formats/distributed_folder.h"
#include "formats/made_tensors.h"
#include "gcsflux/checkpoints/checkpoint.h"
#include "gcsflux/emulator/emulator.h"
#include "gcsflux/listing.h"
#include "support/result.h"
#include "support/test_directory.h"

namespace gcsflux {
namespace {

using namespace formats_tests;  // NOLINT(google-build-using-namespace): what makes the files.
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class DistributedCheckpointTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(client_.InsertBucket("bkt").ok()); }

  void Put(const std::string& name, const std::string& bytes) const {
    ASSERT_TRUE(client_.InsertObject({"bkt", name}, AsBytes(bytes)).ok());
  }
  void PutFolder(const DistributedFolder& folder, const std::string& prefix) const {
    for (const auto& [name, bytes] : folder.files) Put(prefix + name, bytes);
  }
  [[nodiscard]] std::vector<std::string> NamesIn(const std::string& prefix) const {
    const auto listing = ListPrefix(client_, {"bkt", prefix});
    std::vector<std::string> names;
    for (const ObjectMetadata& object : listing->objects) names.push_back(object.name.substr(prefix.size()));
    return names;
  }
  [[nodiscard]] std::string PathOf(const std::string& name) const { return directory_.path() / name; }
  Result<ConvertedCheckpoint> Convert(const std::string& from, const std::string& to, ConvertOptions options) const {
    return ConvertCheckpoint(client_, from, to, options);
  }

  emulator::Emulator emulator_;
  Client client_ = *Client::Create(
      {.endpoint = emulator_.endpoint(), .project = "p", .retry = RetryPolicies::All({.max_attempts = 1})});
  testing::TestDirectory directory_;
};

const std::string kFixtures = std::string(GCSFLUX_FORMAT_FIXTURES) + "/distributed/";

TEST_F(DistributedCheckpointTest, IsReadFromAFolderOfObjectsAndOfFiles) {
  PutFolder(DistributedFolder::Fixture("dtensor-4"), "runs/7/");
  const auto wanted = OpenCheckpoint(client_, kFixtures + "dtensor-4.pt");
  ASSERT_TRUE(wanted.ok()) << wanted.error().message;
  for (const std::string& uri : {std::string("gs://bkt/runs/7/"), std::string("gs://bkt/runs/7/.metadata"),
                                 kFixtures + "dtensor-4", kFixtures + "dtensor-4/.metadata"}) {
    const auto checkpoint = OpenCheckpoint(client_, uri);
    ASSERT_TRUE(checkpoint.ok()) << checkpoint.error().message;
    EXPECT_EQ(checkpoint->format(), CheckpointFormat::kDistributed);
    const auto differences = CompareCheckpoints(*checkpoint, *wanted);
    ASSERT_TRUE(differences.ok()) << differences.error().message;
    EXPECT_THAT(*differences, IsEmpty()) << uri;
    EXPECT_EQ(testing::ValueOf(checkpoint->VerifyWhole()), uri.starts_with("gs://"));
  }
}

TEST_F(DistributedCheckpointTest, NamesAFileThatIsMissing) {
  DistributedFolder folder = DistributedFolder::Fixture("dtensor-4");
  folder.files.erase("__1_0.distcp");
  PutFolder(folder, "runs/7/");
  const Error error = testing::ErrorOf(OpenCheckpoint(client_, "gs://bkt/runs/7/"));
  EXPECT_EQ(error.code, ErrorCode::kNotFound);
  EXPECT_THAT(error.message, AllOf(HasSubstr("gs://bkt/runs/7/.metadata names"), HasSubstr("__1_0.distcp")));
}

TEST_F(DistributedCheckpointTest, OfOneRankIsOpenedByItsMetadata) {
  const DistributedFolder folder = DistributedFolder::Fixture("plain-1");
  Put("runs/7/__0.metadata", folder.files.at(".metadata"));
  Put("runs/7/__0_0.distcp", folder.files.at("__0_0.distcp"));
  EXPECT_THAT(testing::ErrorOf(OpenCheckpoint(client_, "gs://bkt/runs/7/")).message,
              AllOf(HasSubstr("use_collectives=False"), HasSubstr("gs://bkt/runs/7/__0.metadata")));
  const auto checkpoint = OpenCheckpoint(client_, "gs://bkt/runs/7/__0.metadata");
  ASSERT_TRUE(checkpoint.ok()) << checkpoint.error().message;
  EXPECT_EQ(checkpoint->tensors().size(), 11U);
}

TEST_F(DistributedCheckpointTest, HasTheTensorsAndValuesOfWhatItIsMadeFrom) {
  for (const char* name : {"plain-1", "dtensor-4", "fsdp1-2", "fsdp2-2"}) {
    const std::string file = kFixtures + name + ".pt";
    const std::string folder = "gs://bkt/" + std::string(name) + "/";
    const auto written = Convert(file, folder, {.format = CheckpointFormat::kDistributed, .shards = 3});
    ASSERT_TRUE(written.ok()) << written.error().message;
    const auto back = Convert(folder, PathOf("back.pt"), {.format = CheckpointFormat::kTorchFile});
    ASSERT_TRUE(back.ok()) << back.error().message;
    const auto first = OpenCheckpoint(client_, file);
    const auto second = OpenCheckpoint(client_, PathOf("back.pt"));
    EXPECT_THAT(*CompareCheckpoints(*first, *second), IsEmpty());
    EXPECT_EQ(testing::ValueOf(first->ReadValue()), testing::ValueOf(second->ReadValue())) << name;
  }
}

TEST_F(DistributedCheckpointTest, DividesLargeTensorsByRows) {
  const std::vector<MadeTensor> tensors = {{"a", DType::kFloat32, {64, 32}, Varied(8192)},
                                           {"nothing", DType::kFloat32, {0, 4}, ""},
                                           {"number", DType::kInt64, {}, Varied(8)}};
  Put("a.safetensors", SafetensorsOf(tensors));
  const auto written =
      Convert("gs://bkt/a.safetensors", "gs://bkt/d/", {.format = CheckpointFormat::kDistributed, .shards = 4});
  ASSERT_TRUE(written.ok()) << written.error().message;
  EXPECT_EQ(written->files, 5U);
  EXPECT_THAT(NamesIn("d/"), ElementsAre(".metadata", "__0_0.distcp", "__1_0.distcp", "__2_0.distcp", "__3_0.distcp"));
  const auto checkpoint = OpenCheckpoint(client_, "gs://bkt/d/");
  ASSERT_TRUE(checkpoint.ok()) << checkpoint.error().message;
  ExpectHolds(*checkpoint, tensors);
}

TEST_F(DistributedCheckpointTest, KeepsTheValuesOfARunsStep) {
  const Metadata state = {{"format", "pt"},
                          {"gcsflux.state", R"({"model": {"w": {"$tensor": "model.w"}}, "numbers": {"epoch": 3}})"}};
  Put("step.safetensors", SafetensorsOf({{"model.w", DType::kFloat32, {2}, Varied(8)}}, true, state));
  const auto written = Convert("gs://bkt/step.safetensors", "gs://bkt/d/", {.format = CheckpointFormat::kDistributed});
  ASSERT_TRUE(written.ok()) << written.error().message;
  const auto checkpoint = OpenCheckpoint(client_, "gs://bkt/d/");
  ASSERT_TRUE(checkpoint.ok()) << checkpoint.error().message;
  EXPECT_EQ(testing::ValueOf(checkpoint->ReadValue("numbers.epoch")), "3");
  EXPECT_EQ(testing::ValueOf(checkpoint->ReadValue("model")), R"({"w":{"$tensor":"model.w"}})");
}

TEST_F(DistributedCheckpointTest, IsNotWrittenIntoAFolderThatHasOne) {
  Put("a.safetensors", SafetensorsOf({{"w", DType::kUint8, {2}, Varied(2)}}));
  Put("old/.metadata", "x");
  Put("other/a.safetensors", "x");
  for (const char* folder : {"gs://bkt/old/", "gs://bkt/other/"}) {
    const auto written = Convert("gs://bkt/a.safetensors", folder, {.format = CheckpointFormat::kDistributed});
    EXPECT_EQ(testing::ErrorOf(written).code, ErrorCode::kAlreadyExists) << folder;
  }
  EXPECT_THAT(NamesIn("old/"), ElementsAre(".metadata"));
}

TEST_F(DistributedCheckpointTest, IsAFolder) {
  Put("a.safetensors", SafetensorsOf({{"w", DType::kUint8, {2}, Varied(2)}}));
  for (const char* to : {"gs://bkt/d", "gs://bkt/run/step-00000001.json"}) {
    const auto written = Convert("gs://bkt/a.safetensors", to, {.format = CheckpointFormat::kDistributed, .shards = 2});
    EXPECT_THAT(testing::ErrorOf(written).message, HasSubstr("is a folder")) << to;
  }
}

// The first file is written before the second one fails.
TEST_F(DistributedCheckpointTest, LeavesNoFileIfATypeCannotBeWritten) {
  const std::vector<MadeTensor> tensors = {{"wide", DType::kFloat64, {512}, Varied(4096)},
                                           {"small", DType::kFloat8E5m2, {4096}, Varied(4096)}};
  Put("a.safetensors", SafetensorsOf(tensors));
  const auto written =
      Convert("gs://bkt/a.safetensors", "gs://bkt/d/", {.format = CheckpointFormat::kDistributed, .shards = 2});
  EXPECT_THAT(testing::ErrorOf(written).message, AllOf(HasSubstr("'small'"), HasSubstr("float8_e5m2")));
  EXPECT_THAT(NamesIn("d/"), IsEmpty());
  const auto counts = emulator_.counters().operations;
  EXPECT_TRUE(std::ranges::any_of(counts, [](const auto& one) { return one.operation == "storage.objects.delete"; }));
}

// A tuple is one value for PyTorch, so its tensors would be in a pickle.
TEST_F(DistributedCheckpointTest, RefusesATupleOfTensorsByName) {
  const TensorLayout layout{.shape = {2}, .strides = {1}};
  pickled::Dict pair;
  pair.entries.push_back({{.any = std::string("pair")}, {.any = pickled::Tuple{{{.any = layout}}}}});
  const TorchFileContents contents{.root = {.any = std::move(pair)}, .storage_bytes = {8}};
  std::string file;
  const auto zeros = [](std::size_t, const ByteSink& sink) { return sink(BytesOf(std::string_view("12345678"))); };
  ASSERT_TRUE(WriteTorchFile(contents, zeros, SinkInto(file)).ok());
  Put("a.pt", file);
  const ConvertOptions options{.format = CheckpointFormat::kDistributed};
  EXPECT_THAT(testing::ErrorOf(Convert("gs://bkt/a.pt", "gs://bkt/d/", options)).message,
              AllOf(HasSubstr("'pair'"), HasSubstr("tuple")));
  EXPECT_THAT(NamesIn("d/"), IsEmpty());
  const auto tensors =
      Convert("gs://bkt/a.pt", "gs://bkt/d/", {.format = CheckpointFormat::kDistributed, .is_tensors_only = true});
  ASSERT_TRUE(tensors.ok()) << tensors.error().message;
  EXPECT_TRUE(OpenCheckpoint(client_, "gs://bkt/d/")->Find("pair.0").ok());
}

}  // namespace
}  // namespace gcsflux
