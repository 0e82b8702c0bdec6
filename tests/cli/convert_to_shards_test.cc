// `gcsflux checkpoint convert --shards`, by the program against the emulator and on local files.
#include <gmock/gmock.h>

#include "checkpoints/step_writer.h"
#include "cli/command_fixture.h"
#include "formats/made_tensors.h"
#include "gcsflux/checkpoints/checkpoint_steps.h"
#include "sharding/sharded_checkpoints.h"
#include "support/result.h"

namespace gcsflux::cli {
namespace {

using namespace formats_tests;  // NOLINT(google-build-using-namespace): what makes the files.
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr const char* kStep = "gs://bkt/runs/7/step-00000042.json";

std::vector<MadeTensor> Tensors() {
  std::vector<MadeTensor> tensors = SomeTensors();
  tensors.push_back({"embedding", DType::kFloat32, {1000, 16}, Varied(64'000, 4)});
  return tensors;
}

class ConvertToShardsTest : public CommandTest {
 protected:
  void ExpectSame(const std::string& a, const std::string& b) const {
    const Outcome diff = Run({"checkpoint", "diff", a, b});
    EXPECT_EQ(diff.status, 0) << diff.out << diff.err;
    EXPECT_EQ(diff.out, "6 tensors are the same, 0 differ\n");
  }
  Outcome Convert(const std::string& from, const std::string& to) const {
    return Run({"checkpoint", "convert", "--shards=4", from, to});
  }
};

TEST_F(ConvertToShardsTest, WritesAStepThatRanksLoad) {
  WriteFile("one.pt", TorchFileOf(Tensors()));
  const Outcome outcome = Convert("one.pt", kStep);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("wrote 6 tensors in 4 files, "));
  ExpectSame("one.pt", kStep);

  const auto group = MakeOneProcess();
  ShardedCheckpoints run(testing::ValueOf(internal::OpenStepStore(client_, "gs://bkt/runs/7")), *group);
  const auto latest = run.Latest();
  ASSERT_TRUE(latest.ok()) << latest.error().message;
  EXPECT_EQ(latest->stored.manifest.step, 42);
  constexpr std::size_t kRowBytes = 16 * sizeof(float);
  std::string rows(10 * kRowBytes, '\0');
  const PartToLoad part{.part = {.name = "embedding", .shape = {1000, 16}, .offsets = {495, 0}, .sizes = {10, 16}},
                        .into = std::as_writable_bytes(std::span(rows))};
  EXPECT_TRUE(run.Load(latest->stored.manifest, {&part, 1}).ok());
  EXPECT_EQ(rows, Tensors().back().bytes.substr(495 * kRowBytes, 10 * kRowBytes));
}

TEST_F(ConvertToShardsTest, ConvertsBackToOneFileWithAllValues) {
  WriteFile("one.safetensors", SafetensorsOf(Tensors()));
  ASSERT_EQ(Convert("one.safetensors", kStep).status, 0);
  EXPECT_EQ(Run({"checkpoint", "convert", kStep, "back.pt"}).status, 0);
  ExpectSame("one.safetensors", "back.pt");

  const auto steps = *CheckpointSteps::Open(client_, "gs://bkt/runs/8");
  auto writer = *StepWriter::Start(internal::StoreOf(steps));
  const auto file = writer.WriteFile(3, "state.safetensors",
                                     [](const ByteSink& sink) { return sink(AsBytes(SafetensorsOf(Tensors()))); });
  ASSERT_TRUE(
      writer.Commit({.step = 3, .files = {*file}, .metrics = {{"loss", 0.5}}, .metadata = {{"by", "me"}}}).ok());
  const Outcome again = Convert("gs://bkt/runs/8/step-00000003.json", "gs://bkt/runs/9/step-00000003.json");
  EXPECT_EQ(again.status, 0) << again.err;
  const auto stored = CheckpointSteps::Open(client_, "gs://bkt/runs/9")->Read(3);
  ASSERT_TRUE(stored.ok());
  EXPECT_EQ(stored->metrics.at("loss"), 0.5);
  EXPECT_EQ(stored->metadata.at("by"), "me");
}

TEST_F(ConvertToShardsTest, WritesAFolder) {
  WriteFile("one.pt", TorchFileOf(Tensors()));
  for (const std::string folder : {"gs://bkt/sharded/", "sharded/"}) {
    const Outcome outcome = Convert("one.pt", folder);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    ExpectSame("one.pt", folder);
    const Outcome again = Convert("one.pt", folder);
    EXPECT_EQ(again.status, 1);
    EXPECT_THAT(again.err, HasSubstr("has files of a checkpoint already"));
    EXPECT_EQ(
        Convert(folder, "gs://bkt/runs/7/step-0000000" + std::string(folder.size() > 10 ? "1" : "2") + ".json").status,
        0);
  }
  EXPECT_THAT(Files("sharded"), SizeIs(4));
}

TEST_F(ConvertToShardsTest, LeavesNothingIfAFileFails) {
  WriteFile("one.pt", TorchFileOf(Tensors()));
  for (const std::string place : {"gs://bkt/sharded/", kStep}) {
    Load({.object_glob = "**shard-00003-**"}, {.type = "status", .status = 403});
    const Outcome outcome = Convert("one.pt", place);
    EXPECT_EQ(emulator_.faults().Fired("fault"), 1U);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_THAT(outcome.err, HasSubstr("shard-00003-model"));
    EXPECT_THAT(Objects(), IsEmpty());
  }
}

// The file, or the manifest, is stored and its answer lost; the read-back is refused.
TEST_F(ConvertToShardsTest, KeepsAStepThatMayBeWhole) {
  WriteFile("one.pt", TorchFileOf(Tensors()));
  struct Case {
    std::string to;
    std::string lost;
    std::size_t objects = 0;
  };
  for (const Case& one : {Case{"gs://bkt/sharded/", "**shard-00004-**", 4}, Case{kStep, "runs/7/step-*.json", 9}}) {
    emulator_.faults().Load({.rules = {{.name = "lost",
                                        .match = {.operation = "storage.objects.insert", .object_glob = one.lost},
                                        .action = {.type = "loseAnswer"},
                                        .limits = {.count = 1}},
                                       {.name = "look",
                                        .match = {.operation = "storage.objects.get", .object_glob = one.lost},
                                        .action = {.type = "status", .status = 403},
                                        .limits = {.count = 1}}}});
    EXPECT_EQ(Convert("one.pt", one.to).status, 1);
    EXPECT_EQ(emulator_.faults().Fired("lost"), 1U);
    EXPECT_EQ(emulator_.faults().Fired("look"), 1U);
    emulator_.faults().Clear();
    EXPECT_THAT(Objects(), SizeIs(one.objects));
    ExpectSame("one.pt", one.to);
  }
}

TEST_F(ConvertToShardsTest, RefusesARunWithAnActiveWriter) {
  WriteFile("one.pt", TorchFileOf(Tensors()));
  const auto steps = *CheckpointSteps::Open(client_, "gs://bkt/runs/7");
  const auto writer = *StepWriter::Start(internal::StoreOf(steps));
  const Outcome outcome = Convert("one.pt", kStep);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("is written by run " + writer.identity().id));
  EXPECT_THAT(Objects(), ElementsAre("runs/7/writer"));
}

TEST_F(ConvertToShardsTest, ExplainsWrongUsage) {
  WriteFile("one.pt", TorchFileOf(Tensors()));
  struct Case {
    std::vector<std::string> flags;
    std::string to;
    std::string words;
  };
  for (const Case& one : {Case{{"--shards=4"}, "many.safetensors", "the destination is a folder with its '/'"},
                          Case{{"--shards=-1"}, "many/", "--shards must not be negative"},
                          Case{{"--shards=100000"}, "many/", "becomes 1 to 99999 files"},
                          Case{{"--shards=4", "--format=torch"}, "many/", "the format is safetensors"}}) {
    std::vector<std::string> arguments = {"checkpoint", "convert"};
    arguments.insert(arguments.end(), one.flags.begin(), one.flags.end());
    arguments.insert(arguments.end(), {"one.pt", one.to});
    const Outcome outcome = Run(arguments);
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(one.words));
  }
}

}  // namespace
}  // namespace gcsflux::cli
