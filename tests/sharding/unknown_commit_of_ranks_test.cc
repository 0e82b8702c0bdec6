// The error on each rank tells whether a step of many ranks was saved.
#include <gtest/gtest.h>

#include "sharding/save_messages.h"
#include "sharding/sharded_fixture.h"

namespace gcsflux {
namespace {

using testing::ErrorOf;
using testing::OnRanks;
using testing::OwnedParts;

class UnknownCommitOfRanksTest : public testing::ShardedFixture {};

TEST_F(UnknownCommitOfRanksTest, IsReportedOnEachRankAndKeepsTheFiles) {
  constexpr auto kManifest = "runs/7/step-00000001.json";
  emulator_.faults().Load({.rules = {{.name = "lost",
                                      .match = {.operation = "storage.objects.insert", .object_glob = kManifest},
                                      .action = {.type = "loseAnswer"},
                                      .limits = {.count = 1}},
                                     {.name = "it",
                                      .match = {.operation = "storage.objects.get", .object_glob = kManifest},
                                      .action = {.type = "status", .status = 403},
                                      .limits = {.count = 1}}}});
  for (const auto& saved : SaveOnRanks(SomeParts(3))) {
    EXPECT_EQ(ErrorOf(saved).outcome, WriteOutcome::kUnknown) << ErrorOf(saved).message;
  }
  EXPECT_EQ(emulator_.faults().Fired("lost"), 1U);
  ExpectFired();
  ExpectLoads(SomeParts(2));
}

TEST_F(UnknownCommitOfRanksTest, IsNotReportedForARefusal) {
  Fail({.operation = "storage.objects.insert", .object_glob = "runs/7/step-00000001.json"},
       {.type = "status", .status = 403});
  for (const auto& saved : SaveOnRanks(SomeParts(2))) {
    EXPECT_EQ(ErrorOf(saved).outcome, WriteOutcome::kNotStored) << ErrorOf(saved).message;
  }
  ExpectFired();
}

// Only rank 0 knows the outcome of the manifest, if the group breaks after the files are stored.
TEST_F(UnknownCommitOfRanksTest, IsReportedOnARankThatMissesTheOutcome) {
  const Error error{.code = ErrorCode::kPermissionDenied, .message = "403", .outcome = WriteOutcome::kUnknown};
  EXPECT_EQ(ErrorOf(internal::ParseSaved(internal::FormatFailure(error))).outcome, WriteOutcome::kUnknown);
  EXPECT_EQ(ErrorOf(internal::ParseSaved(internal::FormatFailure({ErrorCode::kCorrupted, "x"}))).outcome,
            WriteOutcome::kNotStored);
}

}  // namespace
}  // namespace gcsflux
