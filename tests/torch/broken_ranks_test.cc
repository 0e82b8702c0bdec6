// Jobs of four processes. One is killed, stopped or cut from the network at a random request of a save, an asynchronous
// save or a load. The emulator holds that request, so that the process breaks at exactly that point.
#include "torch/broken_ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "emulator/support/raw_connection.h"
#include "fork/child.h"
#include "gcsflux/checkpoints/checkpoint_steps.h"
#include "gcsflux/listing.h"
#include "gcsflux/torch/checkpoint_run.h"
#include "gcsflux/torch/collective.h"
#include "support/emulator_process.h"
#include "support/test_directory.h"

namespace gcsflux {
namespace {

using nlohmann::json;
using testing::Break;
using testing::Child;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr int kWorld = 4;
constexpr int kJobs = 30;
constexpr int kJobsAtOnce = 11;
constexpr std::chrono::milliseconds kDeadline = std::chrono::seconds(3);
constexpr std::chrono::milliseconds kMeeting = std::chrono::seconds(50);

enum class Call { kSave, kSaveAsync, kLoad };
constexpr const char* kCallNames[] = {"save", "asynchronous save", "load"};
// At least so many requests makes an undisturbed call; the test fails if there are fewer.
constexpr int kRequests[] = {14, 14, 7};

struct Job {
  std::string name;
  Call call = Call::kSave;
  Break way = Break::kKill;
  int victim = 0;
  int request = 1;
  /// All ranks are killed when the files are there and the manifest is on its way.
  bool is_before_manifest = false;

  [[nodiscard]] std::string Description() const {
    if (is_before_manifest) return name + ": all ranks are killed before the manifest";
    return name + ": rank " + std::to_string(victim) + " is " + NameOf(way) + " at request " + std::to_string(request) +
           " of a " + kCallNames[static_cast<int>(call)];
  }
};

Job RandomJob(int number) {
  std::mt19937_64 random(static_cast<std::uint64_t>(number));
  Job job{.name = "job-" + std::to_string(number)};
  job.call = static_cast<Call>(number % 3);
  job.way = static_cast<Break>(number / 3 % 3);
  job.victim = static_cast<int>(random() % kWorld);
  job.request = 1 + static_cast<int>(random() % static_cast<unsigned>(kRequests[static_cast<int>(job.call)]));
  return job;
}

// Nothing of this process uses threads, so that it can fork.
class BrokenRanksTest : public ::testing::Test {
 protected:
  [[nodiscard]] Client MakeClient() const {
    return ValueOrThrow(Client::Create({.endpoint = emulator_.endpoint(), .project = "p", .hedge_budget = 0}));
  }
  static std::string UriOf(const Job& job) { return "gs://bkt/" + job.name; }

  // Runs `body` in a child, and expects that it throws nothing.
  template <class Body>
  static void InAChild(const Body& body) {
    Child child([&]() -> std::string {
      try {
        return body();
      } catch (const std::exception& failure) {
        return std::string("thrown: ") + failure.what();
      }
    });
    EXPECT_EQ(child.Wait(), "");
  }

  static RunState StateOf(const Collective& group, at::Tensor& weight) {
    const RunEnvironment run{.rank = group.rank(), .world_size = group.world_size()};
    const auto [first_row, end_row] = DivideRows(1000, run);
    weight = torch::arange(first_row * 16, end_row * 16, torch::kFloat32).reshape({end_row - first_row, 16});
    RunState state;
    state.slices["weight"] = Sharded(weight, 1000, run);
    state.slices["bias"] = {.local = torch::ones({4000}), .shape = {}, .offsets = {}};
    state.numbers["epoch"] = 1;
    return state;
  }

  void SaveFirstSteps(const std::vector<Job>& jobs) const {
    InAChild([&]() -> std::string {
      const Client client = MakeClient();
      ValueOrThrow(client.InsertBucket("bkt"));
      const auto group = MakeOneProcess();
      at::Tensor weight;
      const RunState state = StateOf(*group, weight);
      for (const Job& job : jobs) CheckpointRun(client, UriOf(job), *group).Save(1, state);
      return "";
    });
  }

  // The call of one rank, and how it ended.
  [[nodiscard]] std::string RunRank(const Job& job, int rank) const {
    testing::PrepareToBeCut();
    try {
      RunEnvironment run{.rank = rank, .world_size = kWorld};
      run.store_file = (directory_.path() / job.name).string();
      const auto store = OpenProcessStore(run, kMeeting);
      const auto group = JoinProcesses(run, store, kMeeting);
      CheckpointRun saves(MakeClient(), UriOf(job), *group, {.take_over = true, .group_deadline = kDeadline});
      at::Tensor weight;
      RunState state = StateOf(*group, weight);
      if (job.call == Call::kLoad) return saves.LoadLatest(state) ? "ok" : "no step";
      if (job.call == Call::kSave) return saves.Save(2, state), "ok";
      return ValueOrThrow(saves.SaveAsync(2, state).WaitCommitted()), "ok";
    } catch (const StorageError& failure) {
      return std::string("failed: ") + failure.what();
    }
  }

  // By a connection of its own: the emulator closes those that are idle for long.
  [[nodiscard]] emulator::RawResponse Ask(std::string_view method, std::string_view target,
                                          std::string_view headers = "", std::string_view body = "") const {
    return emulator::RawConnection(emulator_.endpoint()).Call(method, target, headers, body);
  }

  // The request of each job that stalls until the faults are gone.
  void LoadFaults(std::span<const Job> jobs) {
    json rules = json::array();
    for (const Job& job : jobs) {
      if (job.is_before_manifest) {
        rules.push_back({{"name", job.name},
                         {"match", {{"objectGlob", job.name + "/step-00000002.json"}}},
                         {"action", {{"type", "stallUpload"}, {"afterBytes", 20}, {"duration", "3600s"}}}});
        continue;
      }
      rules.push_back({{"name", job.name},
                       {"match", {{"objectPrefix", job.name + "/"}, {"nth", job.request}}},
                       {"action", {{"type", "stall"}, {"duration", "3600s"}}}});
    }
    ASSERT_EQ(Ask("PUT", "/_emulator/faults", "", json({{"rules", rules}}).dump()).status, 200);
  }
  std::set<std::string> FiredFaults() {
    std::set<std::string> fired;
    const json answer = json::parse(Ask("GET", "/_emulator/faults").body);
    for (const json& counter : answer.at("counters")) {
      if (counter.at("fired").get<int>() > 0) fired.insert(counter.at("rule").get<std::string>());
    }
    return fired;
  }

  // Breaks the victim of each job as soon as the job's request is held.
  void BreakAll(std::span<const Job> jobs, const std::vector<std::vector<Child>>& ranks) {
    std::set<std::string> broken;
    while (broken.size() < jobs.size()) {
      const auto fired = FiredFaults();
      for (std::size_t i = 0; i < jobs.size(); ++i) {
        const pid_t victim = ranks[i][static_cast<std::size_t>(jobs[i].victim)].pid();
        siginfo_t ended{};
        waitid(P_PID, static_cast<id_t>(victim), &ended, WEXITED | WNOHANG | WNOWAIT);
        EXPECT_TRUE(ended.si_pid == 0 || broken.contains(jobs[i].name)) << jobs[i].Description() << ": it ended before";
        if (ended.si_pid == 0 && !fired.contains(jobs[i].name)) continue;
        if (!broken.insert(jobs[i].name).second) continue;
        for (const Child& rank : ranks[i]) {
          if (rank.pid() == victim || jobs[i].is_before_manifest) testing::BreakProcess(rank.pid(), jobs[i].way);
        }
      }
    }
  }

  static void ExpectNamed(const Job& job, int rank, const std::string& outcome) {
    if (rank == job.victim && job.way != Break::kCut) return;
    // Its own view of a cut is that the others do not answer. If rank 0 is cut, it still tells the others so.
    const bool is_named = rank != job.victim && (job.way != Break::kCut || job.victim != 0);
    const std::string name = is_named ? "rank " + std::to_string(job.victim) + " (" : "rank ";
    EXPECT_THAT(outcome, StartsWith("failed: ")) << job.Description() << ", seen by rank " << rank;
    EXPECT_THAT(outcome, HasSubstr(name)) << job.Description() << ", seen by rank " << rank;
  }

  void Disturb(std::span<const Job> jobs) {
    LoadFaults(jobs);
    std::vector<std::vector<Child>> ranks(jobs.size());
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      for (int rank = 0; rank < kWorld; ++rank) {
        ranks[i].emplace_back([this, job = jobs[i], rank] { return RunRank(job, rank); });
      }
    }
    BreakAll(jobs, ranks);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      for (int rank = 0; rank < kWorld; ++rank) {
        if (rank == jobs[i].victim || jobs[i].is_before_manifest) continue;
        ExpectNamed(jobs[i], rank, ranks[i][static_cast<std::size_t>(rank)].Wait());
      }
      Child& victim = ranks[i][static_cast<std::size_t>(jobs[i].victim)];
      if (jobs[i].way == Break::kCut) ExpectNamed(jobs[i], jobs[i].victim, victim.Wait());
    }  // The others end now.
  }

  // The newest step is whole and loads; unreferenced files are found.
  static std::string CheckRun(const Client& client, const Job& job) {
    const auto steps = ValueOrThrow(CheckpointSteps::Open(client, UriOf(job)));
    const auto group = MakeOneProcess();
    at::Tensor weight;
    RunState state = StateOf(*group, weight);
    const at::Tensor saved = weight.clone();
    weight.zero_();
    const auto latest = CheckpointRun(client, UriOf(job), *group).LoadLatest(state);
    if (!latest || !torch::equal(weight, saved)) return "the newest step does not load";
    for (const Step& step : latest->skipped) {
      if (step.problem->code != ErrorCode::kNotFound) return step.problem->message;  // It is there, and not whole.
    }
    ValueOrThrow(steps.CollectGarbage(std::chrono::seconds(0)));
    std::set<std::string> named = {job.name + "/writer", job.name + "/latest"};
    for (const Step& step : ValueOrThrow(steps.List())) {
      if (step.problem) return "step " + std::to_string(step.number) + ": " + step.problem->message;
      named.insert(job.name + "/step-0000000" + std::to_string(step.number) + ".json");
      for (const StepFile& file : step.files) named.insert(job.name + "/" + file.name);
    }
    for (const auto& object : ValueOrThrow(ListPrefix(client, {"bkt", job.name + "/"})).objects) {
      if (!named.contains(object.name)) return object.name + " was not found";
    }
    return "";
  }

  testing::TestDirectory directory_;
  testing::EmulatorProcess emulator_;
};

TEST_F(BrokenRanksTest, NameTheBrokenRankAndLeaveWholeSteps) {
  std::vector<Job> jobs;
  for (int number = 0; number < kJobs; ++number) jobs.push_back(RandomJob(number));
  jobs.push_back({.name = "whole-job", .is_before_manifest = true});
  SaveFirstSteps(jobs);
  const std::span all(jobs);
  for (std::size_t first = 0; first < jobs.size(); first += kJobsAtOnce) {
    Disturb(all.subspan(first, std::min<std::size_t>(kJobsAtOnce, jobs.size() - first)));
  }
  ASSERT_EQ(Ask("DELETE", "/_emulator/faults").status, 204);
  InAChild([&] {
    const Client client = MakeClient();
    std::string wrong;
    for (const Job& job : jobs) {
      if (const std::string why = CheckRun(client, job); !why.empty()) wrong += job.Description() + ": " + why + "\n";
    }
    return wrong;
  });
}

}  // namespace
}  // namespace gcsflux
