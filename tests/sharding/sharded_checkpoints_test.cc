// Steps that several ranks save and load together.
#include "sharding/sharded_checkpoints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stop_token>

#include "formats/safetensors/safetensors.h"
#include "gcsflux/checkpoints/checkpoint.h"
#include "sharding/random_parts.h"
#include "sharding/sharded_fixture.h"

namespace gcsflux {
namespace {

using ::testing::ElementsAre;
using testing::ErrorOf;
using ::testing::HasSubstr;
using testing::OnRanks;
using testing::OwnedParts;
using testing::RandomParts;
using testing::RankParts;
using ::testing::SizeIs;
using testing::ValueOf;

using ShardedCheckpointsTest = testing::ShardedFixture;

TEST_F(ShardedCheckpointsTest, LoadsWithOtherRanksAndSlices) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomParts random(seed);
    const auto tensors = random.Tensors(1 + random.Below(12));
    const auto step = static_cast<std::int64_t>(seed) + 1;
    for (const auto& saved : SaveOnRanks(random.Of(tensors, static_cast<int>(1 + random.Below(8))), step)) {
      EXPECT_EQ(ValueOf(saved).step.number, step);
    }
    ExpectLoads(random.Of(tensors, static_cast<int>(1 + random.Below(8))));
  }
}

TEST_F(ShardedCheckpointsTest, GivesAllRanksTheSameResult) {
  const auto saved = SaveOnRanks(SomeParts(3));
  const SavedStep first = ValueOf(saved[0]);
  EXPECT_THAT(first.step.files, SizeIs(3));
  for (const auto& one : saved) {
    const Step step = ValueOf(one).step;
    EXPECT_EQ(step.files, first.step.files);
    EXPECT_EQ(step.run, first.step.run);
    EXPECT_EQ(step.time, first.step.time);
    EXPECT_EQ(step.generation, first.step.generation);
  }
  const StoredStep stored = Stored(1);
  EXPECT_EQ(stored.generation, first.step.generation);
  EXPECT_THAT(stored.manifest.tensors, SizeIs(4)) << "3 slices, and one copy of the bias";
}

TEST_F(ShardedCheckpointsTest, ReleasesItsPrefix) {
  const auto group = MakeOneProcess();
  const OwnedParts own = OwnedParts::Filled(SomeParts(1)[0]);
  ASSERT_TRUE(On(*group).Save({.step = 1}, own.ToSave()).ok());
  const auto saved = On(*group).Save({.step = 2}, own.ToSave());
  EXPECT_TRUE(saved.ok()) << saved.error().message;
}

TEST_F(ShardedCheckpointsTest, WritesTheManifestAfterEveryShard) {
  // The last rank's shard takes longest: ranks report their progress more often.
  Fail({.object_glob = "**shard-00003-**"}, {.type = "stall", .duration = std::chrono::milliseconds(600)}, 1);
  for (const auto& saved : SaveOnRanks(SomeParts(3))) EXPECT_TRUE(saved.ok());
  ExpectFired();
  std::vector<std::string> stored;
  for (const auto& request : emulator_.journal()) {
    if (request.method == "POST" && !request.object.empty()) stored.push_back(request.object);
  }
  const auto at = [&](const std::string& word) {
    const auto found = std::ranges::find_if(stored, [&](const auto& name) { return name.find(word) != name.npos; });
    return found - stored.begin();
  };
  EXPECT_LT(at("shard-00003"), at("step-00000001.json"));
  EXPECT_EQ(at("step-00000001.json"), 4) << "the writer's object and three shards are before it";
}

TEST_F(ShardedCheckpointsTest, AppliesItsUploadOptions) {
  std::atomic<int> told = 0;
  ShardedOptions options;
  options.file.on_progress = [&](const Progress&) { ++told; };
  for (const auto& saved : SaveOnRanks(SomeParts(2), 1, options)) EXPECT_TRUE(saved.ok());
  EXPECT_GE(told, 2);
  std::stop_source stop;
  stop.request_stop();
  options.file.stop = stop.get_token();
  for (const auto& saved : SaveOnRanks(SomeParts(2), 2, options)) EXPECT_EQ(ErrorOf(saved).code, ErrorCode::kCancelled);
  EXPECT_THAT(WholeSteps(), ElementsAre(1));
}

TEST_F(ShardedCheckpointsTest, StopsAtTheStopTokenOfItsReads) {
  for (const auto& saved : SaveOnRanks(SomeParts(2))) EXPECT_TRUE(saved.ok());
  std::stop_source stop;
  stop.request_stop();
  ShardedOptions options;
  options.reader.stop = stop.get_token();
  for (const auto& loaded : LoadOnRanks(SomeParts(2), options)) EXPECT_EQ(ErrorOf(loaded).code, ErrorCode::kCancelled);
}

TEST_F(ShardedCheckpointsTest, WritesFilesForReadersOfSafetensors) {
  for (const auto& saved : SaveOnRanks(SomeParts(3))) ASSERT_TRUE(saved.ok());
  const auto opened = OpenCheckpoint(client_, "gs://bkt/runs/7/step-00000001/");
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  const StoredTensor weight = ValueOf(opened->Find("weight"));
  EXPECT_EQ(weight.layout.shape, (std::vector<std::int64_t>{64, 32}));
  testing::PartBytes bytes(std::size_t{64} * 32 * 4);
  ASSERT_TRUE(opened->ReadTensor(weight, bytes).ok());
  EXPECT_EQ(bytes, testing::BytesOf({.name = "weight", .shape = {64, 32}}));
}

TEST_F(ShardedCheckpointsTest, OpensAStepAsOneCheckpointByItsManifest) {
  for (const auto& saved : SaveOnRanks(SomeParts(3))) ASSERT_TRUE(saved.ok());
  Put("runs/7/step-00000001/of-a-save-that-failed.safetensors", "no shard of the step");
  const auto opened = OpenCheckpoint(client_, "gs://bkt/runs/7/step-00000001.json");
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  for (const TensorPart& part : {TensorPart{.name = "weight", .shape = {64, 32}}, {.name = "bias", .shape = {32}}}) {
    const StoredTensor stored = ValueOf(opened->Find(part.name));
    EXPECT_EQ(stored.layout.shape, part.shape);
    testing::PartBytes bytes = testing::BytesOf(part);
    const testing::PartBytes wanted = std::exchange(bytes, testing::PartBytes(bytes.size()));
    ASSERT_TRUE(opened->ReadTensor(stored, bytes).ok());
    EXPECT_EQ(bytes, wanted);
  }
}

TEST_F(ShardedCheckpointsTest, SavesDividedEmptyTensors) {
  std::int64_t step = 0;
  for (const std::vector<std::int64_t>& shape :
       std::vector<std::vector<std::int64_t>>{{0, 1}, {0, 2}, {0, 5}, {1, 0}}) {
    for (const int dimension : {0, 1}) {
      SCOPED_TRACE("[" + std::to_string(shape[0]) + ", " + std::to_string(shape[1]) + "] by " +
                   std::to_string(dimension));
      RankParts ranks = SomeParts(3);
      for (int rank = 0; rank < 3; ++rank) {
        ranks[static_cast<std::size_t>(rank)].push_back(
            *Sharded("empty", DType::kFloat32, shape, {.rank = rank, .world_size = 3}, dimension));
      }
      for (const auto& saved : SaveOnRanks(ranks, ++step, {.take_over = true})) {
        ASSERT_TRUE(saved.ok()) << saved.error().message;
      }
      ExpectLoads(ranks);
      RankParts wholes = SomeParts(2);
      for (auto& of_rank : wholes) of_rank.push_back({.name = "empty", .shape = shape});
      ExpectLoads(wholes);
    }
  }
}

TEST_F(ShardedCheckpointsTest, SavesAStepWithoutTensors) {
  for (const auto& saved : SaveOnRanks({{}, {}})) EXPECT_THAT(ValueOf(saved).step.files, SizeIs(1));
}

TEST_F(ShardedCheckpointsTest, AppliesTheRetentionPolicy) {
  const auto options = ShardedOptions{.keep = KeepRules{.last = 1}, .take_over = true};
  for (std::int64_t step = 1; step <= 3; ++step) {
    for (const auto& saved : SaveOnRanks(SomeParts(2), step, options)) {
      const RemovalReport kept = ValueOf(saved).kept;
      EXPECT_EQ(kept.removed.size(), step == 1 ? 0U : 1U);
    }
  }
  EXPECT_THAT(WholeSteps(), ElementsAre(3));
}

TEST_F(ShardedCheckpointsTest, ReadsOnlyTheBytesOfItsSlices) {
  for (const auto& saved : SaveOnRanks(SomeParts(4, 4096))) ASSERT_TRUE(saved.ok());
  const std::size_t before = emulator_.journal().size();
  for (const auto& loaded : LoadOnRanks(SomeParts(3, 4096), {.reader = {.max_gap_bytes = 0}})) {
    EXPECT_TRUE(loaded.ok());
  }
  std::uint64_t sent = 0;
  const auto journal = emulator_.journal();
  for (std::size_t i = before; i < journal.size(); ++i) {
    if (journal[i].object.find("shard-") != std::string::npos) sent += journal[i].bytes_out;
  }
  EXPECT_GE(sent, 4096U * 32 * 4 + 3 * 128);
  EXPECT_LE(sent, (4096U * 32 * 4 + 3 * 128) * 102 / 100);
}

TEST_F(ShardedCheckpointsTest, NamesUnloadableTensorsOnAllRanks) {
  for (const auto& saved : SaveOnRanks(SomeParts(2))) ASSERT_TRUE(saved.ok());
  const auto loaded = LoadOnRanks({{{.name = "a", .shape = {1}}}, {{.name = "bias", .shape = {33}}}, {}});
  for (const auto& one : loaded) {
    EXPECT_EQ(ErrorOf(one).code, ErrorCode::kUndecodable);
    EXPECT_THAT(ErrorOf(one).message,
                HasSubstr("load of step 1 of gs://bkt/runs/7/: tensor 'a' is not in the step; tensor 'bias' is float32 "
                          "[33], and in the step float32 [32]"));
  }
}

TEST_F(ShardedCheckpointsTest, VerifiesBytesByTheirChecksums) {
  for (const auto& saved : SaveOnRanks(SomeParts(2))) ASSERT_TRUE(saved.ok());
  const StepTensor slice = Stored(1).manifest.tensors.front();
  Fail({.operation = "storage.objects.get", .object_glob = "**shard-**", .covers_byte = slice.range.begin},
       {.type = "corrupt", .at_byte = slice.range.begin});
  const auto loaded = LoadOnRanks(SomeParts(2));
  ExpectFired();
  for (const auto& one : loaded) {
    EXPECT_EQ(ErrorOf(one).code, ErrorCode::kCorrupted) << ErrorOf(one).message;
    EXPECT_THAT(ErrorOf(one).message, HasSubstr("rank "));
  }
}

TEST_F(ShardedCheckpointsTest, VerifiesSlicesSharedByRanks) {
  for (const auto& saved : SaveOnRanks(SomeParts(2))) ASSERT_TRUE(saved.ok());
  StepTensor weight;
  for (const StepTensor& slice : Stored(1).manifest.tensors) {
    if (slice.name == "weight") weight = slice;
  }
  ASSERT_EQ(weight.shape[0], 32) << "3 ranks have 22, 21 and 21 rows";
  Fail({.operation = "storage.objects.get", .object_glob = "**shard-**", .covers_byte = weight.range.end - 1},
       {.type = "corrupt", .at_byte = weight.range.end - 1});
  const auto loaded = LoadOnRanks(SomeParts(3));
  ExpectFired();
  for (const auto& one : loaded) {
    EXPECT_EQ(ErrorOf(one).code, ErrorCode::kCorrupted) << ErrorOf(one).message;
    EXPECT_THAT(ErrorOf(one).message, HasSubstr("tensor 'weight', which several ranks read"));
  }
}

TEST_F(ShardedCheckpointsTest, NamesAReplacedShard) {
  for (const auto& saved : SaveOnRanks(SomeParts(2))) ASSERT_TRUE(saved.ok());
  const CheckpointManifest manifest = Stored(1).manifest;
  Delete("runs/7/" + manifest.files[1].name);
  const auto messages = OnRanks<std::string>(2, [&](internal::MessageGroup& group) {
    OwnedParts own = OwnedParts::Empty(SomeParts(2)[static_cast<std::size_t>(group.rank())]);
    return ErrorOf(On(group).Load(manifest, own.ToLoad())).message;
  });
  EXPECT_EQ(messages[0], messages[1]);
  EXPECT_THAT(messages[0], HasSubstr(manifest.files[1].name));
}

TEST_F(ShardedCheckpointsTest, FindsNoLatestStepOnAllRanks) {
  for (const auto& loaded : LoadOnRanks(SomeParts(2))) EXPECT_EQ(ErrorOf(loaded).code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace gcsflux
