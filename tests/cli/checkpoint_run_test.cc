// `gcsflux checkpoint ls|verify|rm|prune`, by the program against the emulator.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "checkpoints/save_step.h"
#include "checkpoints/step_writer.h"
#include "cli/checkpoint/steps.h"
#include "cli/command_fixture.h"
#include "gcsflux/checkpoints/checkpoint_steps.h"
#include "support/load_fault.h"

namespace gcsflux::cli {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CheckpointRunCommandTest : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    auto writer = StepWriter::Start(internal::StoreOf(steps_));
    ASSERT_TRUE(writer.ok()) << writer.error().message;
    for (const std::int64_t step : {10, 20, 30}) {
      const std::string text = "state of step " + std::to_string(step);
      const auto file = writer->WriteFile(step, "state.pt", [&](const ByteSink& sink) { return sink(AsBytes(text)); });
      ASSERT_TRUE(file.ok());
      const double loss = static_cast<double>(100 - step) / 8;
      ASSERT_TRUE(writer->Commit({.step = step, .files = {*file}, .metrics = {{"loss", loss}}}).ok());
    }
  }
  [[nodiscard]] std::string FileOf(std::int64_t step) const {
    return "runs/7/" + steps_.Read(step)->files.front().name;
  }
  [[nodiscard]] std::vector<std::int64_t> Steps() const {
    std::vector<std::int64_t> steps;
    const auto listed = steps_.List();
    for (const Step& step : *listed) steps.push_back(step.number);
    return steps;
  }

  // A name that a save has made.
  static inline const std::string kLeft = "runs/7/step-00000040/" + std::string(32, 'a') + "-state.pt";

  CheckpointSteps steps_ = *CheckpointSteps::Open(client_, "gs://bkt/runs/7");
};

TEST_F(CheckpointRunCommandTest, ListsStepsWithTheirFaults) {
  ASSERT_TRUE(client_.DeleteObject({"bkt", FileOf(20)}).ok());
  Store(kLeft, "never finished");
  const Outcome outcome = Run({"checkpoint", "ls", "gs://bkt/runs/7"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("  10  whole  16 bytes  19"), HasSubstr("  loss 11.25\n"),
                                 HasSubstr("  20  DAMAGED  16 bytes"), HasSubstr("is missing"),
                                 HasSubstr("  40  unfinished  14 bytes"),
                                 HasSubstr("4 steps, 2 whole, 62 bytes, 0 shared files\n")));
}

TEST_F(CheckpointRunCommandTest, InspectOfARunListsItsStepsAndNamesOne) {
  for (const char* run : {"gs://bkt/runs/7", "gs://bkt/runs/7/"}) {
    const Outcome outcome = Run({"checkpoint", "inspect", run});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("  10  whole"), HasSubstr("3 steps, 3 whole")));
    EXPECT_THAT(outcome.err, HasSubstr("gcsflux checkpoint inspect gs://bkt/runs/7/step-00000030.json\n"));
  }
  EXPECT_EQ(Run({"checkpoint", "inspect", "gs://bkt/runs/none/"}).status, 1);
}

TEST_F(CheckpointRunCommandTest, ListsAsJson) {
  const Outcome outcome = Run({"checkpoint", "ls", "--json", "gs://bkt/runs/7/"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  std::vector<json> lines;
  std::istringstream stream(outcome.out);
  for (std::string line; std::getline(stream, line);) lines.push_back(json::parse(line));
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0]["step"], 10);
  EXPECT_EQ(lines[0]["state"], "whole");
  EXPECT_EQ(lines[0]["metrics"]["loss"], 11.25);
  EXPECT_EQ(lines[3], json::parse(R"({"steps": 3, "whole": 3, "bytes": 48, "shared_files": 0})"));
}

TEST_F(CheckpointRunCommandTest, VerifiesEveryByte) {
  EXPECT_EQ(Run({"checkpoint", "verify", "gs://bkt/runs/7/"}).status, 0);
  testing::LoadFault(emulator_, "it", {.operation = "storage.objects.get", .object_prefix = FileOf(20)},
                     {.type = "corrupt", .at_byte = 3});
  const Outcome outcome = Run({"checkpoint", "verify", "gs://bkt/runs/7/"});
  EXPECT_GE(emulator_.faults().Fired("it"), 1U);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("  10  whole"), HasSubstr("  20  DAMAGED"), HasSubstr("  30  whole")));
  EXPECT_THAT(outcome.err, HasSubstr("1 of 3 steps are not whole"));
}

TEST_F(CheckpointRunCommandTest, RemovesAStep) {
  EXPECT_EQ(Run({"checkpoint", "rm", "-n", "gs://bkt/runs/7", "20"}).out,
            "delete gs://bkt/runs/7/step-00000020.json\n");
  EXPECT_EQ(Run({"checkpoint", "rm", "-n", "gs://bkt/runs/7", "25"}).status, 1);
  EXPECT_THAT(Steps(), ElementsAre(10, 20, 30));
  EXPECT_EQ(Run({"checkpoint", "rm", "gs://bkt/runs/7", "20"}).status, 0);
  EXPECT_THAT(Steps(), ElementsAre(10, 30));
  EXPECT_EQ(Run({"checkpoint", "rm", "gs://bkt/runs/7", "20"}).status, 1);
  EXPECT_EQ(Run({"checkpoint", "rm", "gs://bkt/runs/7", "10"}).status, 0);
  EXPECT_THAT(Run({"checkpoint", "rm", "gs://bkt/runs/7", "30"}).err, HasSubstr("the last whole step"));
  EXPECT_THAT(Run({"checkpoint", "rm", "gs://bkt/runs/7", "3x"}).err, HasSubstr("'3x' is no step's number"));
  EXPECT_THAT(Run({"checkpoint", "rm", "gs://bkt/runs/7"}).err, HasSubstr("usage: gcsflux checkpoint rm RUN STEP"));
  EXPECT_THAT(Steps(), ElementsAre(30));
}

TEST_F(CheckpointRunCommandTest, AppliesTheRetentionPolicy) {
  const Outcome dry = Run({"checkpoint", "prune", "--keep_last=1", "--dry_run", "gs://bkt/runs/7"});
  EXPECT_EQ(dry.status, 0) << dry.err;
  EXPECT_EQ(dry.out, "would remove step 10\nwould remove step 20\n");
  EXPECT_THAT(Steps(), ElementsAre(10, 20, 30));
  const Outcome outcome = Run({"checkpoint", "prune", "--keep_last=1", "--keep_best=loss:max", "gs://bkt/runs/7"});
  EXPECT_EQ(outcome.out, "removed step 20\n");
  EXPECT_THAT(Steps(), ElementsAre(10, 30));
  EXPECT_THAT(Run({"checkpoint", "prune", "gs://bkt/runs/7"}).err, HasSubstr("say what stays: --keep_last"));
}

TEST_F(CheckpointRunCommandTest, PrunesFilesOfUnfinishedSaves) {
  Store(kLeft, "never finished");
  EXPECT_EQ(Run({"checkpoint", "prune", "--keep_last=9", "gs://bkt/runs/7"}).status, 0);
  EXPECT_THAT(Steps(), ElementsAre(10, 20, 30, 40)) << "it is young";
  const Outcome outcome = Run({"checkpoint", "prune", "--keep_last=9", "--older_than=0s", "gs://bkt/runs/7"});
  EXPECT_THAT(outcome.err, HasSubstr("1 files of unfinished saves, 14 bytes")) << outcome.err;
  EXPECT_THAT(Steps(), ElementsAre(10, 20, 30));
}

TEST_F(CheckpointRunCommandTest, CleansFilesOfInterruptedSaves) {
  Store(kLeft, "never finished");
  Store("runs/7/notes.txt", "mine");
  Store("runs/7/step-00000010/eval.json", "mine");
  Store("runs/7/step-00000040/model.safetensors", "mine");
  EXPECT_THAT(Run({"clean", "gs://bkt/runs/7/"}).err,
              HasSubstr("deleted 0 files of interrupted saves and removals, 0 B; kept 1 younger than 1h, and 2 "
                        "objects of others"));
  EXPECT_THAT(Steps(), ElementsAre(10, 20, 30, 40));
  EXPECT_EQ(Run({"clean", "-n", "--json", "gs://bkt/runs/7/", "--older_than=0s"}).out,
            "{\"action\":\"clean\",\"uri\":\"gs://bkt/runs/7/\",\"deleted\":1,\"deleted_bytes\":14,\"kept\":2}\n");
  EXPECT_THAT(Steps(), ElementsAre(10, 20, 30, 40));
  emulator_.clock().Advance(std::chrono::hours(2));
  Store("runs/7/step-00000050/" + std::string(32, 'b') + "-state.pt", "under way");
  EXPECT_THAT(Run({"clean", "gs://bkt/runs/7/"}).err, HasSubstr("deleted 1 files"));
  EXPECT_THAT(Steps(), ElementsAre(10, 20, 30, 50));
  const Outcome all = Run({"clean", "gs://bkt/runs/7/", "--older_than=0s"});
  EXPECT_EQ(all.status, 0) << all.err;
  EXPECT_THAT(Steps(), ElementsAre(10, 20, 30));
  for (const char* const name :
       {"runs/7/notes.txt", "runs/7/step-00000010/eval.json", "runs/7/step-00000040/model.safetensors"}) {
    EXPECT_TRUE(client_.GetObject({"bkt", name}).ok()) << name;
  }
  EXPECT_THAT(Run({"clean", "gs://bkt/runs/7"}).err, HasSubstr("the prefix of a training run with its '/'"));
}

// Two steps of safetensors; the second one has no tensor of its own.
TEST_F(CheckpointRunCommandTest, ReadsAStepThatReferencesAnotherStepsFile) {
  const std::string bytes = "12345678";
  const pickled::Dict root{
      .entries = {{{.any = std::string("w")}, {.any = TensorLayout{.shape = {2}, .strides = {1}}}}}};
  const internal::StateContents contents{.root = {.any = root}, .storages = {AsBytes(bytes)}};
  auto writer = StepWriter::Start(internal::StoreOf(steps_), /*take_over=*/true);
  ASSERT_TRUE(writer.ok());
  internal::LastCommitted last;
  for (const std::int64_t step : {40, 50}) {
    const auto saved = internal::SaveStep(
        *writer, contents, {.manifest = {.step = step}, .format = CheckpointFormat::kSafetensors, .last = &last}, {});
    ASSERT_TRUE(saved.ok()) << saved.error().message;
  }
  const std::string uri = "gs://bkt/runs/7/step-00000050.json";
  EXPECT_THAT(Run({"checkpoint", "inspect", uri}).out, HasSubstr("  w  float32 [2]  8 bytes"));
  EXPECT_THAT(Run({"checkpoint", "verify", uri}).out, HasSubstr("1 storage, 8 bytes"));
  EXPECT_EQ(Run({"checkpoint", "convert", uri, "out.pt"}).status, 0);
  EXPECT_EQ(Run({"checkpoint", "diff", uri, "out.pt"}).status, 0);
  EXPECT_THAT(Run({"checkpoint", "ls", "gs://bkt/runs/7"}).out, HasSubstr("5 steps, 5 whole, "));
  EXPECT_THAT(Run({"checkpoint", "ls", "gs://bkt/runs/7"}).out, HasSubstr(" 1 shared files\n"));
  EXPECT_EQ(Run({"checkpoint", "rm", "gs://bkt/runs/7", "40"}).status, 0);
  EXPECT_THAT(Steps(), ElementsAre(10, 20, 30, 50));
  EXPECT_THAT(Run({"clean", "gs://bkt/runs/7/", "--older_than=0s"}).err, HasSubstr("deleted 0 files"));
  EXPECT_EQ(Run({"checkpoint", "diff", uri, "out.pt"}).status, 0);
  EXPECT_EQ(Run({"checkpoint", "verify", "gs://bkt/runs/7/"}).status, 0);
}

TEST(KeepFlags, ParseTheBestByAMetric) {
  const auto best = ParseKeepBest("val:loss:max:3");
  ASSERT_TRUE(best.ok());
  EXPECT_EQ(best->metric, "val:loss");
  EXPECT_EQ(best->best, 3U);
  EXPECT_TRUE(best->is_highest_best);
  EXPECT_FALSE(ParseKeepBest("loss:min")->is_highest_best);
  for (const char* wrong : {"", "loss", ":min", "loss:mean", "loss:min:0", "loss:min:x", "loss:min:-1", "loss:3"}) {
    EXPECT_FALSE(ParseKeepBest(wrong).ok()) << wrong;
  }
}

}  // namespace
}  // namespace gcsflux::cli
