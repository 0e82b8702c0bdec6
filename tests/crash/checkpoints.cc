// Changes of a run's steps: whole steps stay whole, the newest is not lost, and what no manifest names is found.
#include <algorithm>
#include <set>

#include "checkpoints/step_writer.h"
#include "crash/crash_case.h"
#include "gcsflux/checkpoints/checkpoint_steps.h"
#include "gcsflux/listing.h"
#include "sharding/part_bytes.h"
#include "sharding/rank_threads.h"
#include "sharding/sharded_checkpoints.h"

namespace gcsflux::crash {
namespace {

constexpr int kRanks = 2;

CheckpointSteps StepsOf(const Place& place) { return Must(CheckpointSteps::Open(place.client, place.UriOf("run"))); }
std::shared_ptr<internal::StepStore> StoreOf(const Place& place) { return internal::StoreOf(StepsOf(place)); }
StepWriter Start(const Place& place) { return Must(StepWriter::Start(StoreOf(place), /*take_over=*/true)); }

std::string TextOf(const Place& place, std::int64_t step) {
  return BytesOf(place, "step " + std::to_string(step), 3'000);
}

void SaveText(const Place& place, StepWriter& writer, std::int64_t step, CommitMode mode) {
  const std::string text = TextOf(place, step);
  CheckpointManifest manifest{.step = step};
  manifest.files = {
      Must(writer.WriteFile(step, "state.pt", [&](const ByteSink& sink) { return sink(AsBytes(text)); }))};
  Must(writer.Commit(std::move(manifest), mode));
}

template <int steps>
void PrepareSteps(const Place& place) {
  SurelyDo([&] {
    StepWriter writer = Start(place);
    for (std::int64_t step = 1; step <= steps; ++step) SaveText(place, writer, step, CommitMode::kRewind);
    Must(writer.Release());
  });
}

std::int64_t LatestOf(const Place& place) {
  return Surely([&] { return StepsOf(place).Latest(); }).number;
}

void SaveNext(const Place& place) {
  StepWriter writer = Start(place);
  SaveText(place, writer, LatestOf(place) + 1, CommitMode::kCreate);
  Must(writer.Keep({.last = 2}));
  Must(writer.Release());
}

void ReplaceNewest(const Place& place) {
  StepWriter writer = Start(place);
  SaveText(place, writer, LatestOf(place), CommitMode::kReplace);
  Must(writer.Release());
}

void Rewind(const Place& place) {
  StepWriter writer = Start(place);
  SaveText(place, writer, 1, CommitMode::kRewind);
  Must(writer.Release());
}

// The oldest one, until one is left.
void RemoveOldest(const Place& place) {
  const auto steps = Must(StepsOf(place).List());
  const auto whole = std::ranges::find_if(steps, [](const Step& step) { return !step.problem; });
  Expect(whole != steps.end(), "no step is whole");
  if (whole->number == steps.back().number) return;
  StepWriter writer = Start(place);
  Must(writer.Remove(whole->number));
  Must(writer.Release());
}

std::string StoredText(const Place& place, const StepFile& file) {
  return Surely([&]() -> Result<std::string> {
    auto reader = StoreOf(place)->OpenFile(file);
    if (!reader) return reader.error();
    std::string text(reader->size(), '\0');
    if (auto read = reader->ReadAt(0, std::as_writable_bytes(std::span(text))); !read) return read.error();
    return text;
  });
}

std::set<std::string> NamesOf(const Place& place) {
  std::set<std::string> names;
  for (const auto& object : Surely([&] { return ListPrefix(place.client, place.At("run/")); }).objects) {
    names.insert(object.name.substr(place.prefix.size() + std::string_view("run/").size()));
  }
  return names;
}

// The writer's mark, the hint, manifests, and the files that they name.
std::set<std::string> NamesInUse(const std::set<std::string>& names, const std::vector<Step>& steps) {
  std::set<std::string> used;
  for (const std::string& name : names) {
    if (name.ends_with(".json") || name == "writer" || name == "latest") used.insert(name);
  }
  for (const Step& step : steps) {
    for (const StepFile& file : step.files) used.insert(file.name);
  }
  return used;
}

void CheckSteps(const Place& place, void (*check_step)(const Place&, const Step&)) {
  const auto list = [&] { return StepsOf(place).List(); };
  for (const Step& step : Surely(list)) {
    if (!step.problem) check_step(place, step);
    Expect(!step.problem || step.generation == 0, "a damaged step: " + (step.problem ? step.problem->message : ""));
  }
  Surely([&] { return StepsOf(place).CollectGarbage(std::chrono::seconds(0)); });
  const auto names = NamesOf(place);
  Expect(names == NamesInUse(names, Surely(list)), "the garbage collection leaves files, or removes too many");
}

void CheckText(const Place& place, const Step& step) {
  Expect(step.files.size() == 1 && StoredText(place, step.files.front()) == TextOf(place, step.number),
         "step " + std::to_string(step.number) + " has other bytes");
}

template <std::int64_t least, void (*act)(const Place&)>
void CheckTexts(const Place& place) {
  Expect(LatestOf(place) >= least, "the newest step is lost");
  CheckSteps(place, CheckText);
  SurelyDo([&] { act(place); });
  CheckSteps(place, CheckText);
}

template <int steps, std::int64_t least, void (*act)(const Place&)>
CrashCase StepCase(std::string_view name) {
  return {.name = name, .prepare = PrepareSteps<steps>, .act = act, .check = CheckTexts<least, act>};
}

// Rows of a tensor on each rank, and a tensor that both have.
std::vector<TensorPart> PartsOf(int rank) {
  return {Must(Sharded("weight", DType::kFloat32, {64, 32}, {.rank = rank, .world_size = kRanks})),
          {.name = "bias", .shape = {32}}};
}

void SaveOnRanks(const Place& place) {
  const auto results = testing::OnRanks<Result<void>>(kRanks, [&](internal::MessageGroup& group) -> Result<void> {
    ShardedCheckpoints checkpoints(StoreOf(place), group, {.keep = KeepRules{.last = 2}, .take_over = true});
    const auto latest = checkpoints.Latest();
    const bool is_first = !latest && latest.error().code == ErrorCode::kNotFound;
    if (!latest && !is_first) return latest.error();
    const auto own = testing::OwnedParts::Filled(PartsOf(group.rank()));
    const std::int64_t step = is_first ? 1 : latest->stored.manifest.step + 1;
    const auto saved = checkpoints.Save({.step = step}, own.ToSave());
    return saved.ok() ? Result<void>() : Result<void>(saved.error());
  });
  for (const auto& result : results) Must(result);
}

void LoadOnRanks(const Place& place, std::int64_t step) {
  const auto results = testing::OnRanks<Result<void>>(kRanks, [&](internal::MessageGroup& group) -> Result<void> {
    ShardedCheckpoints checkpoints(StoreOf(place), group);
    const auto stored = checkpoints.Read(step);
    if (!stored) return stored.error();
    auto own = testing::OwnedParts::Empty(PartsOf(group.rank()));
    const auto parts = own.ToLoad();
    if (auto loaded = checkpoints.Load(stored->stored.manifest, parts); !loaded) return loaded;
    if (own.bytes == testing::OwnedParts::Filled(own.parts).bytes) return {};
    return Error{ErrorCode::kCorrupted, "a rank loads other bytes"};
  });
  for (const auto& result : results) Must(result);
}

void CheckOnRanks(const Place& place, const Step& step) {
  SurelyDo([&] { LoadOnRanks(place, step.number); });
}

void PrepareRanks(const Place& place) {
  SurelyDo([&] { SaveOnRanks(place); });
}

void CheckRanks(const Place& place) {
  Expect(LatestOf(place) >= 1, "the newest step is lost");
  CheckSteps(place, CheckOnRanks);
  SurelyDo([&] { SaveOnRanks(place); });
  CheckSteps(place, CheckOnRanks);
}

}  // namespace

std::vector<CrashCase> CheckpointCases() {
  return {StepCase<2, 2, SaveNext>("save a step and keep two"),
          StepCase<2, 2, ReplaceNewest>("replace a step"),
          StepCase<3, 1, Rewind>("rewind a run"),
          StepCase<3, 3, RemoveOldest>("remove a step"),
          {.name = "save on ranks", .prepare = PrepareRanks, .act = SaveOnRanks, .check = CheckRanks}};
}

}  // namespace gcsflux::crash
