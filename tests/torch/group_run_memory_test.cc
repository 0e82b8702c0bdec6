// Rank 1 has no memory for one of the lists of a save. It must tell the others.
#include <gmock/gmock.h>
#include <torch/utils.h>

#include "gcsflux/torch/checkpoint_run.h"
#include "sharding/rank_threads.h"
#include "support/watched_memory.h"
#include "torch/bucket_test.h"

namespace gcsflux {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::OnRanks;
using testing::ScarceMemory;

constexpr std::size_t kLeast = 24 << 10;  // More than each message between ranks.

class GroupRunMemoryTest : public BucketTest {
 protected:
  struct Outcome {
    bool has_failed = false;  // The allocation.
    std::string message = {};
  };

  // The error that the call throws; an exception other than StorageError fails the test.
  template <class Call>
  static std::string Attempt(const Call& call) {
    try {
      call();
    } catch (const StorageError& thrown) {
      return thrown.what();
    }
    return "";
  }

  // Each large allocation of rank 1 fails in turn, while it calls `save`.
  template <class Save>
  void ExpectTold(int lists, const Save& save) {
    int failures = 0;
    for (bool has_failed = true; has_failed; ++failures) {
      SCOPED_TRACE("allocation " + std::to_string(failures));
      const auto outcomes = OnRanks<Outcome>(2, [&](internal::MessageGroup& group) {
        CheckpointRun run(client_, "gs://torch-test/runs/7", group, {.take_over = true});
        RunState state;
        for (int i = 0; i < 300; ++i) state.slices["t" + std::to_string(i)].local = torch::ones({4});
        Outcome outcome;
        outcome.message = Attempt([&] { save(run, state, group.rank() == 1 ? failures : 1 << 30); });
        outcome.has_failed = group.rank() == 1 && ScarceMemory::has_failed();
        EXPECT_TRUE(group.Barrier().ok());
        return outcome;
      });
      has_failed = outcomes[1].has_failed;
      EXPECT_EQ(outcomes[0].message, outcomes[1].message);
      if (!has_failed) break;
      EXPECT_THAT(outcomes[0].message, AllOf(HasSubstr("rank 1"), HasSubstr("bad_alloc")));
    }
    EXPECT_GE(failures, lists);
  }
};

TEST_F(GroupRunMemoryTest, FailsASaveOnAllRanks) {
  ExpectTold(3, [](CheckpointRun& run, const RunState& state, int failing) {
    const ScarceMemory scarce(kLeast, failing);
    run.Save(1, state, {.mode = CommitMode::kReplace});
  });
}

TEST_F(GroupRunMemoryTest, FailsASaveDuringTrainingOnAllRanks) {
  ExpectTold(2, [](CheckpointRun& run, const RunState& state, int failing) {
    const PendingSave pending = [&] {
      const ScarceMemory scarce(kLeast, failing);
      return run.SaveAsync(1, state, {.mode = CommitMode::kReplace});
    }();
    ValueOrThrow(pending.WaitCommitted());
  });
}

}  // namespace
}  // namespace gcsflux
