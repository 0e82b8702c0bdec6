// Rank 1 has no memory for one of the larger allocations of a save or a load. It must tell the others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sharding/sharded_fixture.h"
#include "support/watched_memory.h"

namespace gcsflux {
namespace {

using testing::ErrorOf;
using ::testing::HasSubstr;
using testing::OnRanks;
using testing::OwnedParts;
using testing::RankParts;
using testing::ScarceMemory;

// More than each message between ranks.
constexpr std::size_t kLeastOfASave = 24 << 10;
constexpr std::size_t kLeastOfALoad = 10 << 10;

// So many that a list of them is large.
RankParts ManyParts(int count) {
  RankParts ranks(2);
  for (auto& parts : ranks) {
    for (int i = 0; i < count; ++i) parts.push_back({.name = "t" + std::to_string(i), .shape = {4}});
  }
  return ranks;
}

class ScarceMemoryTest : public testing::ShardedFixture {
 protected:
  struct Outcome {
    bool has_failed = false;  // The allocation.
    Error error = {};
  };

  // Each allocation in turn fails while rank 1 calls `act`; the group must serve another call then.
  template <class Act>
  void ExpectTold(int parts, const Act& act) {
    int failures = 0;
    for (bool has_failed = true; has_failed; ++failures) {
      SCOPED_TRACE("allocation " + std::to_string(failures));
      const auto outcomes = OnRanks<Outcome>(2, [&](internal::MessageGroup& group) {
        ShardedCheckpoints run = On(group, {.take_over = true});
        OwnedParts own = OwnedParts::Empty(ManyParts(parts)[static_cast<std::size_t>(group.rank())]);
        Outcome outcome;
        outcome.error = act(run, own, group.rank() == 1 ? std::optional(failures) : std::nullopt);
        outcome.has_failed = group.rank() == 1 && ScarceMemory::has_failed();
        EXPECT_TRUE(group.Barrier().ok());
        return outcome;
      });
      has_failed = outcomes[1].has_failed;
      EXPECT_EQ(outcomes[0].error.message, outcomes[1].error.message);
      if (!has_failed) break;
      EXPECT_THAT(outcomes[0].error.message, HasSubstr("rank 1"));
      EXPECT_THAT(outcomes[0].error.message, HasSubstr("bad_alloc"));
    }
    EXPECT_GE(failures, 1);
  }

  // Arguments are made before memory is short.
  template <class Call>
  static Error With(std::size_t least, const std::optional<int>& failing, const Call& call) {
    const ScarceMemory scarce(least, failing.value_or(1 << 30));
    return ErrorOf(call());
  }
};

TEST_F(ScarceMemoryTest, FailsASaveOnAllRanks) {
  ExpectTold(300, [&](ShardedCheckpoints& run, OwnedParts& own, const std::optional<int>& failing) {
    const auto parts = own.ToSave();
    return With(kLeastOfASave, failing, [&] { return run.Save({.step = 1}, parts, CommitMode::kReplace); });
  });
}

TEST_F(ScarceMemoryTest, FailsALoadOnAllRanks) {
  for (const auto& saved : SaveOnRanks(ManyParts(1000))) ASSERT_TRUE(saved.ok());
  ExpectTold(1000, [&](ShardedCheckpoints& run, OwnedParts& own, const std::optional<int>& failing) {
    const auto latest = run.Latest();
    const auto parts = own.ToLoad();
    return With(kLeastOfALoad, failing, [&] { return run.Load(latest->stored.manifest, parts); });
  });
}

}  // namespace
}  // namespace gcsflux
