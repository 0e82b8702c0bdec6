// Failures of one rank's files, or of the manifest: a transient fault of the service changes nothing, and each damage
// is reported on all ranks with the file and the remedy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sharding/sharded_fixture.h"
#include "support/fault_matrix.h"

namespace gcsflux {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::ErrorOf;
using ::testing::HasSubstr;
using testing::NamedFault;
using testing::OnRanks;
using testing::OwnedParts;
using testing::ValueOf;

constexpr const char* kOfRank1 = "**shard-00002-**";

class RankFaultsTest : public testing::ShardedFixture {
 protected:
  static std::string ExpectSame(const std::vector<std::string>& messages) {
    for (const std::string& message : messages) EXPECT_EQ(message, messages.front());
    return messages.front();
  }
  // The message of all ranks for a load of this step.
  [[nodiscard]] std::string MessageOfLoad(const CheckpointManifest& manifest) const {
    return ExpectSame(OnRanks<std::string>(2, [&](internal::MessageGroup& group) {
      OwnedParts own = OwnedParts::Empty(SomeParts(2)[static_cast<std::size_t>(group.rank())]);
      return ErrorOf(On(group).Load(manifest, own.ToLoad())).message;
    }));
  }
  void SaveSteps(int count) const {
    for (std::int64_t step = 1; step <= count; ++step) {
      for (const auto& saved : SaveOnRanks(SomeParts(2), step, {.take_over = true})) {
        ASSERT_TRUE(saved.ok()) << saved.error().message;
      }
    }
  }
  // The newest step that is whole on all ranks, after a damaged one.
  void ExpectStep1AfterStep2() const {
    OnRanks<bool>(2, [&](internal::MessageGroup& group) {
      const auto latest = On(group).Latest();
      EXPECT_TRUE(latest.ok()) << latest.error().message;
      if (!latest.ok()) return false;
      EXPECT_EQ(latest->stored.manifest.step, 1);
      EXPECT_EQ(latest->skipped.size(), 1U);
      return true;
    });
    ExpectLoads(SomeParts(3));
  }
};

TEST_F(RankFaultsTest, PassInASave) {
  std::int64_t step = 0;
  for (const NamedFault& fault : testing::FailuresInPlaceOfAnswer() + testing::LostAnswers()) {
    SCOPED_TRACE(fault.name);
    Fail({.operation = "storage.objects.insert", .object_glob = kOfRank1}, fault.action, 1);
    for (const auto& saved : SaveOnRanks(SomeParts(3), ++step, {.take_over = true})) {
      EXPECT_TRUE(saved.ok()) << saved.error().message;
    }
    ExpectFired();
    ExpectLoads(SomeParts(2));
  }
  EXPECT_EQ(WholeSteps().size(), static_cast<std::size_t>(step));
}

TEST_F(RankFaultsTest, PassInALoad) {
  SaveSteps(1);
  for (const NamedFault& fault : testing::FailuresInPlaceOfAnswer() + testing::BrokenBodies(1000)) {
    SCOPED_TRACE(fault.name);
    // The files' metadata is read before: the read is the first request with a range.
    Fail({.operation = "storage.objects.get", .object_glob = kOfRank1, .covers_byte = 1500}, fault.action, 1);
    ExpectLoads(SomeParts(2));
    ExpectFired();
  }
}

TEST_F(RankFaultsTest, ReportAPersistentQuotaOnAllRanks) {
  SaveSteps(1);
  Fail({.operation = "storage.objects.insert", .object_glob = kOfRank1}, {.type = "status", .status = 429});
  std::vector<std::string> messages;
  for (const auto& saved : SaveOnRanks(SomeParts(2), 2, {.take_over = true})) {
    messages.push_back(ErrorOf(saved).message);
  }
  EXPECT_THAT(ExpectSame(messages), AllOf(HasSubstr("rank 1: "), HasSubstr("shard-00002-"), HasSubstr("429")));
  ExpectFired();
  EXPECT_THAT(WholeSteps(), ElementsAre(1));
}

TEST_F(RankFaultsTest, NameAReplacedShard) {
  SaveSteps(2);
  const CheckpointManifest manifest = Stored(2).manifest;
  const std::string shard = manifest.files[1].name;
  const std::string same_size(static_cast<std::size_t>(manifest.files[1].size), 'x');
  const auto expect_named = [&](const std::string& what) {
    SCOPED_TRACE(what);
    EXPECT_THAT(MessageOfLoad(manifest), AllOf(HasSubstr("load of step 2 of gs://bkt/runs/7/: rank "), HasSubstr(shard),
                                               HasSubstr("generation")));
    ExpectStep1AfterStep2();
  };
  Put("runs/7/" + shard, "shorter");
  expect_named("shortened");
  Put("runs/7/" + shard, same_size);
  expect_named("changed, of the same size");
  Delete("runs/7/" + shard);
  expect_named("missing");
}

// All ranks report each of these manifests, and load the previous step.
TEST_F(RankFaultsTest, SkipAnInvalidManifest) {
  SaveSteps(2);
  const StoredStep stored = Stored(2);
  const std::string json = ValueOf(FormatManifest(stored.manifest));
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string text = json;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, text.npos) << from;
    return at == text.npos ? text : text.replace(at, from.size(), to);
  };
  struct Case {
    std::string text;
    std::string words;
  };
  for (const Case& one :
       {Case{replaced("\"offsets\":[32,0]", "\"offsets\":[31,0]"), "'weight' do not make a whole"},
        Case{replaced("\"whole_shape\":[64,32]", "\"whole_shape\":[65,32]"), "differ in the type or shape"},
        Case{replaced("\"gcsflux_checkpoint\":1", "\"gcsflux_checkpoint\":9"), "use a newer gcsflux"},
        Case{json.substr(0, json.size() / 2), "no JSON of a manifest"}}) {
    SCOPED_TRACE(one.words);
    Put("runs/7/step-00000002.json", one.text);
    const auto messages =
        OnRanks<std::string>(2, [&](internal::MessageGroup& group) { return ErrorOf(On(group).Read(2)).message; });
    EXPECT_THAT(ExpectSame(messages),
                AllOf(HasSubstr("gs://bkt/runs/7/step-00000002.json"), HasSubstr(one.words), HasSubstr("another")));
    ExpectStep1AfterStep2();
  }
}

}  // namespace
}  // namespace gcsflux
