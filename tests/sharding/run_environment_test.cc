// Which rank a process is, by the variables of its launcher.
#include "gcsflux/run_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "sharding/host_list.h"
#include "support/result.h"

namespace gcsflux {
namespace {

using testing::ErrorOf;
using ::testing::HasSubstr;
using testing::ValueOf;

using Set = std::map<std::string, std::string>;

Result<RunEnvironment> Detect(const Set& set) {
  return RunEnvironment::Detect([&](const char* name) {
    const auto found = set.find(name);
    return found == set.end() ? std::nullopt : std::optional(found->second);
  });
}

TEST(RunEnvironment, IsOneProcessWithoutALauncher) {
  const auto run = ValueOf(Detect({}));
  EXPECT_EQ(run.rank, 0);
  EXPECT_EQ(run.world_size, 1);
  EXPECT_EQ(run.launcher, "");
}

TEST(RunEnvironment, KnowsEachLauncher) {
  struct Case {
    std::string launcher;
    Set set;
    std::string host;
  };
  const std::vector<Case> cases = {
      {"torchrun",
       {{"RANK", "3"}, {"WORLD_SIZE", "4"}, {"LOCAL_RANK", "1"}, {"LOCAL_WORLD_SIZE", "2"}, {"MASTER_ADDR", "a"}},
       "a"},
      {"Open MPI",
       {{"OMPI_COMM_WORLD_RANK", "3"}, {"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "1"}},
       ""},
      {"Slurm",
       {{"SLURM_PROCID", "3"}, {"SLURM_NTASKS", "4"}, {"SLURM_LOCALID", "1"}, {"SLURM_NODELIST", "n[07-08]"}},
       "n07"},
      {"Kubernetes", {{"JOB_COMPLETION_INDEX", "3"}, {"WORLD_SIZE", "4"}, {"MASTER_ADDR", "job-0.svc"}}, "job-0.svc"},
  };
  for (const Case& one : cases) {
    const auto run = ValueOf(Detect(one.set));
    EXPECT_EQ(run.launcher, one.launcher);
    EXPECT_EQ(run.rank, 3) << one.launcher;
    EXPECT_EQ(run.world_size, 4) << one.launcher;
    EXPECT_EQ(run.master_host, one.host) << one.launcher;
    EXPECT_EQ(run.local_rank, one.launcher == "Kubernetes" ? std::nullopt : std::optional(1)) << one.launcher;
  }
}

TEST(RunEnvironment, TakesTheVariablesOfTheInnermostLauncher) {
  const Set in_slurm = {{"RANK", "5"}, {"WORLD_SIZE", "8"}, {"SLURM_PROCID", "1"}, {"SLURM_NTASKS", "2"}};
  EXPECT_EQ(ValueOf(Detect(in_slurm)).rank, 5) << "torchrun on each node";
  const Set mpi_in_slurm = {
      {"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "4"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}};
  EXPECT_EQ(ValueOf(Detect(mpi_in_slurm)).rank, 1);
}

TEST(RunEnvironment, NamesVariablesThatContradictEachOther) {
  struct Case {
    Set set;
    std::vector<std::string> named;
  };
  const std::vector<Case> cases = {
      {{{"RANK", "4"}, {"WORLD_SIZE", "4"}}, {"RANK is 4", "WORLD_SIZE is 4"}},
      {{{"RANK", "0"}, {"WORLD_SIZE", "0"}}, {"WORLD_SIZE is 0"}},
      {{{"RANK", "4"}}, {"RANK is set", "WORLD_SIZE is not"}},
      {{{"WORLD_SIZE", "4"}}, {"WORLD_SIZE is set", "RANK is not"}},
      {{{"JOB_COMPLETION_INDEX", "1"}}, {"JOB_COMPLETION_INDEX is set", "WORLD_SIZE is not"}},
      {{{"RANK", "-1"}, {"WORLD_SIZE", "4"}}, {"RANK is '-1'"}},
      {{{"RANK", "1x"}, {"WORLD_SIZE", "4"}}, {"RANK is '1x'"}},
      {{{"RANK", "1"}, {"WORLD_SIZE", "99999999999"}}, {"WORLD_SIZE is '99999999999'"}},
      {{{"RANK", "1"}, {"WORLD_SIZE", "4"}, {"LOCAL_RANK", "2"}}, {"LOCAL_RANK is 2", "RANK is 1"}},
      {{{"RANK", "3"}, {"WORLD_SIZE", "4"}, {"LOCAL_RANK", "2"}, {"LOCAL_WORLD_SIZE", "2"}},
       {"LOCAL_RANK is 2", "LOCAL_WORLD_SIZE is 2"}},
      {{{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"LOCAL_RANK", "1"}, {"LOCAL_WORLD_SIZE", "4"}},
       {"LOCAL_WORLD_SIZE is 4", "WORLD_SIZE is 2"}},
      {{{"RANK", "1"}, {"WORLD_SIZE", "4"}, {"JOB_COMPLETION_INDEX", "2"}}, {"JOB_COMPLETION_INDEX is 2", "RANK is 1"}},
      {{{"RANK", "1"}, {"WORLD_SIZE", "4"}, {"MASTER_PORT", "70000"}}, {"MASTER_PORT is '70000'"}},
      {{{"SLURM_PROCID", "1"}, {"SLURM_NTASKS", "4"}, {"SLURM_NODELIST", "n[1"}}, {"SLURM_NODELIST is 'n[1'"}},
  };
  for (const Case& one : cases) {
    const Error error = ErrorOf(Detect(one.set));
    EXPECT_EQ(error.code, ErrorCode::kInvalidArgument) << error.message;
    for (const std::string& name : one.named) EXPECT_THAT(error.message, HasSubstr(name));
  }
}

TEST(RunEnvironment, TakesAnIndexWithSeveralProcesses) {
  const auto run = ValueOf(Detect({{"RANK", "5"},
                                   {"WORLD_SIZE", "8"},
                                   {"LOCAL_RANK", "1"},
                                   {"LOCAL_WORLD_SIZE", "4"},
                                   {"JOB_COMPLETION_INDEX", "1"}}));
  EXPECT_EQ(run.rank, 5);
}

TEST(FirstHost, ReadsSlurmsNotation) {
  EXPECT_EQ(internal::FirstHost("node"), "node");
  EXPECT_EQ(internal::FirstHost("a,b"), "a");
  EXPECT_EQ(internal::FirstHost("node[001-004,7],b"), "node001");
  EXPECT_EQ(internal::FirstHost("n[3,5]-ib,b"), "n3-ib");
  EXPECT_EQ(internal::FirstHost("r[1-2]n[8-9]"), "r1n8");
  for (const char* const wrong : {"n[1", "n[]", "n[,2]", "n[-2]", "n[a-b]", "n[[1]]", "r[1-2]n[]"}) {
    EXPECT_EQ(internal::FirstHost(wrong), "") << wrong;
  }
  EXPECT_EQ(internal::FirstHost(""), "");
}

}  // namespace
}  // namespace gcsflux
