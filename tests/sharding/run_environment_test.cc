// The rank of a process, by the variables of its launcher.
#include "gcsflux/run_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "sharding/ranks/host_list.h"
#include "support/fails_with.h"
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
       {{"SLURM_STEP_ID", "0"},
        {"SLURM_PROCID", "3"},
        {"SLURM_NTASKS", "4"},
        {"SLURM_LOCALID", "1"},
        {"SLURM_NODELIST", "n[07-08]"}},
       "n07"},
      {"Slurm",
       {{"SLURM_STEPID", "7"},
        {"SLURM_PROCID", "3"},
        {"SLURM_NTASKS", "64"},
        {"SLURM_STEP_NUM_TASKS", "4"},
        {"SLURM_LOCALID", "1"},
        {"SLURM_STEP_NODELIST", "a,b"}},
       "a"},
      {"MPICH", {{"PMI_RANK", "3"}, {"PMI_SIZE", "4"}, {"MPI_LOCALRANKID", "1"}, {"MPI_LOCALNRANKS", "2"}}, ""},
      {"MPICH",  // srun --mpi=pmi2
       {{"PMI_RANK", "3"},
        {"PMI_SIZE", "4"},
        {"MPI_LOCALRANKID", "1"},
        {"SLURM_STEP_ID", "0"},
        {"SLURM_PROCID", "3"},
        {"SLURM_NTASKS", "4"},
        {"SLURM_NODELIST", "n[07-08]"}},
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

TEST(RunEnvironment, PrefersTheInnermostLauncher) {
  const Set in_slurm = {
      {"RANK", "5"}, {"WORLD_SIZE", "8"}, {"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "1"}, {"SLURM_NTASKS", "2"}};
  EXPECT_EQ(ValueOf(Detect(in_slurm)).rank, 5) << "torchrun on each node";
  const Set mpi_in_batch_script = {
      {"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "4"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}};
  EXPECT_EQ(ValueOf(Detect(mpi_in_batch_script)).rank, 1);
  const Set hydra_in_slurm = {{"PMI_RANK", "3"},     {"PMI_SIZE", "8"},     {"SLURM_STEP_ID", "0"},
                              {"SLURM_PROCID", "1"}, {"SLURM_NTASKS", "2"}, {"SLURM_NODELIST", "n[1-2]"}};
  EXPECT_EQ(ValueOf(Detect(hydra_in_slurm)).rank, 3);
  EXPECT_EQ(ValueOf(Detect(hydra_in_slurm)).master_host, "") << "the ranks are not those of the nodes that Slurm lists";
  // The agents of torchrun meet in any order.
  Set agents = {{"RANK", "1"},         {"WORLD_SIZE", "2"},   {"TORCHELASTIC_RUN_ID", "7"}, {"SLURM_STEP_ID", "0"},
                {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "2"}, {"JOB_COMPLETION_INDEX", "0"}};
  EXPECT_EQ(ValueOf(Detect(agents)).rank, 1);
}

// It has SLURM_PROCID=0, but no step; salloc's interactive shell has a step of its own kind.
TEST(RunEnvironment, IgnoresBatchScriptsOfSlurm) {
  Set script = {{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}, {"SLURM_LOCALID", "0"}, {"SLURM_NODELIST", "n[1-4]"}};
  for (const char* step : {"", "4294967290", "4294967291"}) {
    if (*step != '\0') script["SLURM_STEP_ID"] = step;
    const auto run = ValueOf(Detect(script));
    EXPECT_EQ(run.launcher, "") << step;
    EXPECT_EQ(run.world_size, 1) << step;
    EXPECT_EQ(run.master_host, "") << step;
  }
}

TEST(RunEnvironment, NamesAnEmptyVariable) {
  for (const char* name : {"RANK",
                           "WORLD_SIZE",
                           "LOCAL_RANK",
                           "LOCAL_WORLD_SIZE",
                           "OMPI_COMM_WORLD_RANK",
                           "OMPI_COMM_WORLD_SIZE",
                           "OMPI_COMM_WORLD_LOCAL_RANK",
                           "OMPI_COMM_WORLD_LOCAL_SIZE",
                           "PMI_RANK",
                           "PMI_SIZE",
                           "MPI_LOCALRANKID",
                           "MPI_LOCALNRANKS",
                           "SLURM_PROCID",
                           "SLURM_STEP_NUM_TASKS",
                           "SLURM_NTASKS",
                           "SLURM_LOCALID",
                           "SLURM_STEP_ID",
                           "SLURM_STEPID",
                           "JOB_COMPLETION_INDEX",
                           "MASTER_ADDR",
                           "MASTER_PORT",
                           "GCSFLUX_STORE_FILE"}) {
    Set set = {{"RANK", "1"}, {"WORLD_SIZE", "2"}};
    set[name] = "";
    EXPECT_TRUE(testing::FailsWith(Detect(set), ErrorCode::kInvalidArgument,
                                   HasSubstr(std::string(name) + " is set and empty")));
  }
}

TEST(RunEnvironment, NamesContradictoryVariables) {
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
      {{{"RANK", "1"}, {"WORLD_SIZE", "4"}, {"MASTER_PORT", "0"}}, {"MASTER_PORT is 0"}},
      {{{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "1"}, {"SLURM_NTASKS", "4"}, {"SLURM_NODELIST", "n[1"}},
       {"SLURM_NODELIST is 'n[1'"}},
      {{{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "1"}, {"SLURM_NTASKS", "4"}, {"SLURM_NODELIST", "n[]"}},
       {"SLURM_NODELIST is 'n[]'"}},
      {{{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "1"}}, {"SLURM_PROCID is set", "is not"}},
      {{{"PMI_RANK", "1"}}, {"PMI_RANK is set", "PMI_SIZE is not"}},
      {{{"OMPI_COMM_WORLD_SIZE", "4"}}, {"OMPI_COMM_WORLD_SIZE is set", "OMPI_COMM_WORLD_RANK is not"}},
      // One of a pair without a launcher.
      {{{"PMI_RANK", "1"}, {"PMI_SIZE", "4"}, {"WORLD_SIZE", "4"}}, {"WORLD_SIZE is set", "RANK is not"}},
      {{{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "4"}, {"RANK", "1"}},
       {"RANK is set", "WORLD_SIZE is not"}},
      {{{"RANK", "1"}, {"WORLD_SIZE", "4"}, {"PMI_SIZE", "4"}}, {"PMI_SIZE is set", "PMI_RANK is not"}},
      // Two launchers, and one of them is wrong.
      {{{"RANK", "0"}, {"WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "4"}},
       {"RANK is 0 and OMPI_COMM_WORLD_RANK is 1"}},
      {{{"PMI_RANK", "0"}, {"PMI_SIZE", "4"}, {"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "2"}, {"SLURM_NTASKS", "4"}},
       {"PMI_RANK is 0 and SLURM_PROCID is 2"}},
  };
  for (const Case& one : cases) {
    const Error error = ErrorOf(Detect(one.set));
    EXPECT_EQ(error.code, ErrorCode::kInvalidArgument) << error.message;
    for (const std::string& name : one.named) EXPECT_THAT(error.message, HasSubstr(name));
  }
}

TEST(RunEnvironment, ReadsAnIndexWithSeveralProcesses) {
  const auto run = ValueOf(Detect({{"RANK", "5"},
                                   {"WORLD_SIZE", "8"},
                                   {"LOCAL_RANK", "1"},
                                   {"LOCAL_WORLD_SIZE", "4"},
                                   {"JOB_COMPLETION_INDEX", "1"}}));
  EXPECT_EQ(run.rank, 5);
}

TEST(FirstHost, ReadsTheNotationOfSlurm) {
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
