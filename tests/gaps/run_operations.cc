// Checkpoints: the steps of a run, and files of tensors.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "checkpoints/latest_step.h"
#include "checkpoints/step_writer.h"
#include "formats/made_tensors.h"
#include "gaps/gap_operation.h"
#include "gcsflux/checkpoints/checkpoint.h"
#include "gcsflux/checkpoints/checkpoint_steps.h"
#include "support/result.h"

namespace gcsflux::testing {
namespace {

constexpr auto kGapRun = "gs://bkt/runs/7";
constexpr auto kUsersFile = "runs/7/step-00000001/eval.json";

CheckpointSteps StepsOf(const Client& client, const std::stop_token& stop = {}) {
  return *CheckpointSteps::Open(client, kGapRun, {}, stop);
}

std::string StepText(std::int64_t step, const std::string& of) { return of + " of step " + std::to_string(step); }

Result<StoredStep> SaveStep(StepWriter& writer, std::int64_t step, const std::string& of, CommitMode mode,
                            const std::stop_token& stop = {}) {
  CheckpointManifest manifest{.step = step};
  for (const std::string name : {"a", "b"}) {
    const auto write = [&](const ByteSink& sink) { return sink(AsBytes(StepText(step, of) + name)); };
    const auto file = writer.WriteFile(step, name, write, {.stop = stop});
    if (!file) return file.error();
    manifest.files.push_back(*file);
  }
  return writer.Commit(std::move(manifest), mode);
}

// Another run: it takes the prefix over.
void SaveAsRival(GapWorld& world, std::int64_t step, bool keeps_only_this = false, bool must_stay = true) {
  auto writer = StepWriter::Start(internal::StoreOf(StepsOf(world.rival())), /*take_over=*/true);
  ASSERT_TRUE(writer.ok()) << ErrorOf(writer).message;
  const auto saved = SaveStep(*writer, step, "rival's", CommitMode::kRewind);
  ASSERT_TRUE(saved.ok()) << ErrorOf(saved).message;
  if (must_stay) world.KeepForeign("runs/7/step-0000000" + std::to_string(step) + ".json");
  if (!keeps_only_this) return;
  const auto kept = writer->Keep({.last = 1});
  EXPECT_TRUE(kept.ok()) << ErrorOf(kept).message;
}

void PrepareRun(GapWorld& world) {
  auto writer = StepWriter::Start(internal::StoreOf(StepsOf(world.rival())));
  ASSERT_TRUE(writer.ok());
  for (std::int64_t step = 1; step <= 3; ++step) {
    ASSERT_TRUE(SaveStep(*writer, step, "run's", CommitMode::kCreate).ok());
  }
  EXPECT_TRUE(writer->Release().ok());
  world.PutForeign(kUsersFile, "{}");
}

// The bytes of both files, which are of one save.
Result<void> ReadStep(const CheckpointSteps& steps, const Step& step, const std::stop_token& stop = {}) {
  std::vector<std::string> texts;
  for (const StepFile& file : step.files) {
    const auto reader = internal::StoreOf(steps)->OpenFile(file, {.stop = stop});
    if (!reader) return reader.error();
    std::string text(reader->size(), '\0');
    if (auto read = reader->ReadAt(0, std::as_writable_bytes(std::span(text))); !read) return read.error();
    texts.push_back(text);
  }
  const std::int64_t number = step.number;
  EXPECT_TRUE((texts == std::vector{StepText(number, "run's") + "a", StepText(number, "run's") + "b"}) ||
              (texts == std::vector{StepText(number, "rival's") + "a", StepText(number, "rival's") + "b"}));
  return {};
}

std::vector<std::int64_t> WholeSteps(GapWorld& world) {
  std::vector<std::int64_t> whole;
  for (const Step& step : ValueOf(StepsOf(world.rival()).List())) {
    if (!step.problem) whole.push_back(step.number);
  }
  return whole;
}

// Each existing manifest has its files, and there is a step.
void ExpectWholeSteps(GapWorld& world) {
  const CheckpointSteps steps = StepsOf(world.rival());
  std::size_t whole = 0;
  for (const Step& step : ValueOf(steps.List())) {
    if (step.generation == 0) continue;
    EXPECT_FALSE(step.problem) << step.number << ": " << step.problem->message;
    const auto stored = steps.Read(step.number);
    ASSERT_TRUE(stored.ok()) << ErrorOf(stored).message;
    const auto read = ReadStep(steps, *stored);
    EXPECT_TRUE(read.ok()) << ErrorOf(read).message;
    ++whole;
  }
  EXPECT_GE(whole, 1U);
}

GapOperation OfRun(std::string name,
                   std::function<Result<void>(GapWorld&, const Client&, const std::stop_token&)> run) {
  return {.name = std::move(name),
          .prepare = PrepareRun,
          .run = std::move(run),
          .overwrite = [](GapWorld& world) { SaveAsRival(world, 5); },
          .remove =
              [](GapWorld& world) {
                const auto removed = StepsOf(world.rival()).Remove(2);
                EXPECT_TRUE(removed.ok() || removed.error().code == ErrorCode::kNotFound) << ErrorOf(removed).message;
              },
          .check = ExpectWholeSteps};
}

GapOperation Save() {
  GapOperation save =
      OfRun("SaveOfAStep", [](GapWorld& world, const Client& client, const std::stop_token& stop) -> Result<void> {
        auto writer = StepWriter::Start(internal::StoreOf(StepsOf(client, stop)));
        if (!writer) return writer.error();
        const auto saved = SaveStep(*writer, 4, "run's", CommitMode::kCreate, stop);
        if (!saved) return saved.error();
        EXPECT_EQ(std::ranges::count(WholeSteps(world), 4), 1);
        return {};
      });
  // A rival saves a step of the same number.
  save.overwrite = [](GapWorld& world) { SaveAsRival(world, 4); };
  return save;
}

// The same number a second time.
GapOperation Replace() {
  GapOperation replace =
      OfRun("SaveInPlaceOfAStep", [](GapWorld&, const Client& client, const std::stop_token& stop) -> Result<void> {
        auto writer = StepWriter::Start(internal::StoreOf(StepsOf(client, stop)));
        if (!writer) return writer.error();
        return WithoutValue(SaveStep(*writer, 3, "run's", CommitMode::kReplace, stop));
      });
  // A rival saves a step of the same number.
  replace.overwrite = [](GapWorld& world) { SaveAsRival(world, 3); };
  return replace;
}

GapOperation KeepOfARun() {
  return OfRun("KeepOfAWriter", [](GapWorld&, const Client& client, const std::stop_token& stop) -> Result<void> {
    auto writer = StepWriter::Start(internal::StoreOf(StepsOf(client, stop)));
    if (!writer) return writer.error();
    return WithoutValue(writer->Keep({.last = 1}));
  });
}

GapOperation Prune() {
  return OfRun("Keep", [](GapWorld&, const Client& client, const std::stop_token& stop) {
    return WithoutValue(StepsOf(client, stop).Keep({.last = 1}));
  });
}

// A rival saves the step that is being removed again.
GapOperation RemoveOfAStep() {
  GapOperation remove = OfRun("Remove", [](GapWorld&, const Client& client, const std::stop_token& stop) {
    return StepsOf(client, stop).Remove(3);
  });
  // The listing may take several requests: if it shows the rival's step, that one is removed.
  remove.overwrite = [](GapWorld& world) { SaveAsRival(world, 3, /*keeps_only_this=*/false, /*must_stay=*/false); };
  return remove;
}

// Files of a save that was killed.
GapOperation SweepOfFiles() {
  GapOperation sweep = OfRun("CollectGarbage", [](GapWorld&, const Client& client, const std::stop_token& stop) {
    return WithoutValue(StepsOf(client, stop).CollectGarbage(std::chrono::hours(1)));
  });
  sweep.prepare = [](GapWorld& world) {
    PrepareRun(world);
    for (const char digit : {'a', 'b'}) {
      world.Put("runs/7/step-00000009/" + std::string(32, digit) + "-a", "left");
    }
    world.emulator().clock().Advance(std::chrono::hours(2));
  };
  return sweep;
}

// A rival's run keeps only the step that it has just saved.
GapOperation Latest() {
  GapOperation latest =
      OfRun("LatestStep", [](GapWorld&, const Client& client, const std::stop_token& stop) -> Result<void> {
        const CheckpointSteps steps = StepsOf(client, stop);
        const auto read = [&](const StoredStep& step) { return ReadStep(steps, StepOf(step), stop); };
        const auto opened = internal::FindLatest(*internal::StoreOf(steps), read);
        return WithoutValue(opened);
      });
  latest.overwrite = [](GapWorld& world) { SaveAsRival(world, 5, /*keeps_only_this=*/true); };
  latest.survives_overwriting = true;
  return latest;
}

GapOperation List() {
  GapOperation list = OfRun("ListOfSteps", [](GapWorld&, const Client& client, const std::stop_token& stop) {
    return WithoutValue(StepsOf(client, stop).List());
  });
  list.survives_overwriting = true;
  return list;
}

std::vector<formats_tests::MadeTensor> TensorsOf(char letter) {
  return {{"a", DType::kUint8, {100'000}, std::string(100'000, letter)},
          {"b", DType::kUint8, {100'000}, std::string(100'000, letter)}};
}

GapOperation Tensors() {
  const auto put = [](GapWorld& world, char letter) {
    world.Put("a.safetensors", formats_tests::SafetensorsOf(TensorsOf(letter)));
  };
  return {.name = "TensorsOfACheckpoint",
          .prepare = [put](GapWorld& world) { put(world, 'o'); },
          .run = [](GapWorld&, const Client& client, const std::stop_token& stop) -> Result<void> {
            const auto checkpoint =
                OpenCheckpoint(client, "gs://bkt/a.safetensors",
                               {.max_concurrency = 1, .range_bytes = 50'000, .tail_bytes = 0, .stop = stop});
            if (!checkpoint) return checkpoint.error();
            std::string all;
            for (const StoredTensor& tensor : checkpoint->tensors()) {
              std::string bytes(100'000, '\0');
              const auto read = checkpoint->ReadTensor(tensor, std::as_writable_bytes(std::span(bytes)));
              if (!read) return read.error();
              all += bytes;
            }
            EXPECT_TRUE(all == std::string(200'000, all.front()));
            return {};
          },
          .overwrite = [put](GapWorld& world) { put(world, 'r'); },
          .remove = [](GapWorld& world) { world.Delete("a.safetensors"); }};
}

}  // namespace

std::vector<GapOperation> RunOperations() {
  return {Save(), Replace(), KeepOfARun(), Prune(), RemoveOfAStep(), SweepOfFiles(), Latest(), List(), Tensors()};
}

}  // namespace gcsflux::testing
