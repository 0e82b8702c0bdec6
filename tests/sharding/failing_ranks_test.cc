// One rank of three ends, or hangs, at each message of a save and of a load.
#include "sharding/failing_ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sharding/sharded_fixture.h"

namespace gcsflux {
namespace {

using testing::FailingRanks;
using ::testing::HasSubstr;
using testing::OwnedParts;
using testing::RankFailure;
using testing::ValueOf;

constexpr int kWorld = 3;

class FailingRanksTest : public testing::ShardedFixture {
 protected:
  // Runs `body` as each rank, and returns its errors by rank.
  template <class Body>
  std::vector<std::optional<Error>> OnAll(FailingRanks& ranks, const Body& body) {
    std::vector<std::optional<Error>> errors(kWorld);
    std::vector<std::jthread> threads;
    threads.reserve(kWorld);
    for (int rank = 0; rank < kWorld; ++rank) {
      threads.emplace_back([&, rank] {
        const auto group = ranks.Rank(rank);
        errors[static_cast<std::size_t>(rank)] = body(*group);
      });
    }
    threads.clear();
    return errors;
  }

  std::vector<std::optional<Error>> Save(FailingRanks& ranks, std::int64_t step,
                                         const std::optional<KeepRules>& keep = {}) {
    return OnAll(ranks, [&](internal::MessageGroup& group) -> std::optional<Error> {
      const OwnedParts own = OwnedParts::Filled(SomeParts(kWorld)[static_cast<std::size_t>(group.rank())]);
      const auto saved =
          On(group, {.deadline = kDeadline, .keep = keep, .take_over = true}).Save({.step = step}, own.ToSave());
      return saved.ok() ? std::nullopt : std::optional(saved.error());
    });
  }

  // The others do not wait without end. All failures have the same message, which names the rank.
  static void ExpectNamed(const std::vector<std::optional<Error>>& errors, const RankFailure& failure) {
    std::optional<std::string> told;
    for (int rank = 0; rank < kWorld; ++rank) {
      const auto& error = errors[static_cast<std::size_t>(rank)];
      if (rank == failure.rank || !error) continue;
      // One of them may have learnt it in the previous call.
      const std::string cause = error->message.substr(std::min(error->message.find("rank "), error->message.size()));
      if (!told) told = cause;
      EXPECT_EQ(cause, *told) << "on rank " << rank;
      EXPECT_THAT(error->message, HasSubstr("rank " + std::to_string(failure.rank)));
    }
  }

  static constexpr std::chrono::milliseconds kDeadline{150};
};

TEST_F(FailingRanksTest, LeavesWholeStepsWhereverARankEnds) {
  std::int64_t step = 1;
  int failures = 0;
  for (int rank = 0; rank < kWorld; ++rank) {
    for (int message = 0; message < 100; ++message) {
      SCOPED_TRACE("rank " + std::to_string(rank) + " ends at its message " + std::to_string(message));
      const RankFailure failure{.rank = rank, .message = message};
      FailingRanks ranks(kWorld, failure);
      const auto errors = Save(ranks, ++step);
      if (!ranks.has_failed()) break;
      ++failures;
      ExpectNamed(errors, failure);
      const bool is_stored = Steps().Read(step).ok();
      for (int other = 0; other < kWorld; ++other) {
        const auto& error = errors[static_cast<std::size_t>(other)];
        const WriteOutcome outcome = error ? error->outcome : WriteOutcome::kStored;
        if (outcome == WriteOutcome::kUnknown) continue;
        EXPECT_EQ(is_stored, outcome == WriteOutcome::kStored) << "by rank " << other;
      }
    }
  }
  EXPECT_GE(failures, 20);
  for (const auto& listed : ValueOf(Steps().List())) {
    EXPECT_TRUE(!listed.problem || listed.generation == 0)
        << "a manifest names what is not there: step " << listed.number;
  }
  // The next save with rules removes what the others have left.
  for (const auto& saved : SaveOnRanks(SomeParts(kWorld), ++step, {.keep = KeepRules{.last = 1}, .take_over = true})) {
    EXPECT_TRUE(saved.ok());
  }
  EXPECT_EQ(ValueOf(Steps().List()).size(), 1U);
  ExpectLoads(SomeParts(2));
}

// After the manifest the step exists, even if the save reports a failure. Older ones may be removed then.
TEST_F(FailingRanksTest, KeepsTheNewestStepIfARankEndsAfterTheManifest) {
  std::int64_t step = 1;
  int stored_though_failed = 0;
  for (int rank = 1; rank < kWorld; ++rank) {
    for (int message = 0; message < 100; ++message) {
      SCOPED_TRACE("rank " + std::to_string(rank) + " ends at its message " + std::to_string(message));
      const RankFailure failure{.rank = rank, .message = message};
      FailingRanks ranks(kWorld, failure);
      const auto errors = Save(ranks, ++step, KeepRules{.last = 1});
      if (!ranks.has_failed()) break;
      ExpectNamed(errors, failure);
      const bool is_stored = Steps().Read(step).ok();
      if (is_stored && errors.front()) ++stored_though_failed;
      if (is_stored) {
        EXPECT_EQ(ValueOf(Steps().Latest()).number, step) << "all of it is there";
      }
    }
  }
  EXPECT_GE(stored_though_failed, 1);
}

TEST_F(FailingRanksTest, EndsWithinTheDeadlineWhereverARankHangs) {
  std::int64_t step = 1;
  for (const RankFailure& failure : {RankFailure{0, 0, true}, RankFailure{0, 5, true}, RankFailure{2, 0, true},
                                     RankFailure{2, 1, true}, RankFailure{2, 2, true}, RankFailure{2, 4, true}}) {
    SCOPED_TRACE("rank " + std::to_string(failure.rank) + " hangs at its message " + std::to_string(failure.message));
    FailingRanks ranks(kWorld, failure);
    const auto errors = Save(ranks, ++step);
    EXPECT_TRUE(ranks.has_failed());
    ExpectNamed(errors, failure);
  }
}

TEST_F(FailingRanksTest, FailsALoadWhereverARankEnds) {
  for (const auto& saved : SaveOnRanks(SomeParts(kWorld))) ASSERT_TRUE(saved.ok());
  for (int rank = 0; rank < kWorld; ++rank) {
    for (int message = 0; message < 100; ++message) {
      const RankFailure failure{.rank = rank, .message = message};
      FailingRanks ranks(kWorld, failure);
      const auto errors = OnAll(ranks, [&](internal::MessageGroup& group) -> std::optional<Error> {
        ShardedCheckpoints checkpoints = On(group, {.deadline = kDeadline});
        const auto latest = checkpoints.Latest();
        if (!latest.ok()) return latest.error();
        OwnedParts own = OwnedParts::Empty(SomeParts(kWorld)[static_cast<std::size_t>(group.rank())]);
        const auto loaded = checkpoints.Load(latest->stored.manifest, own.ToLoad());
        return loaded.ok() ? std::nullopt : std::optional(loaded.error());
      });
      if (!ranks.has_failed()) break;
      ExpectNamed(errors, failure);
    }
  }
}

}  // namespace
}  // namespace gcsflux
