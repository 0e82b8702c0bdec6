#include "gcsflux/run_environment.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

#include "base/invalid_argument.h"
#include "base/process/environment.h"
#include "base/text/printable.h"
#include "sharding/ranks/host_list.h"

namespace gcsflux {
namespace {

using internal::InvalidArgument;
using Variables = RunEnvironment::Variables;

/// The variables of a launcher. `local` and `local_size` may be null.
struct Launcher {
  const char* name = "";
  const char* rank = "";
  const char* size = "";
  const char* local = nullptr;
  const char* local_size = nullptr;
  bool is_slurm = false;
};

// From the innermost launcher to the outermost one: torchrun and mpirun are started by Slurm, too.
constexpr auto kLaunchers = std::to_array<Launcher>({
    {"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"},
    {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
     "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {"MPICH", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
    {"Slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", nullptr, true},
    {"Slurm", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", nullptr, true},
    {"Kubernetes", "JOB_COMPLETION_INDEX", "WORLD_SIZE", nullptr, nullptr},
});

constexpr int kMost = std::numeric_limits<int>::max();

// All that is read here, and TORCHELASTIC_RUN_ID and lists of hosts. One that is empty was meant to have a value.
constexpr auto kRead = std::to_array<const char*>({"RANK",
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
                                                   "GCSFLUX_STORE_FILE"});

Result<void> CheckNoneIsEmpty(const Variables& variables) {
  for (const char* const name : kRead) {
    const auto value = variables(name);
    if (value && value->empty()) {
      return InvalidArgument(std::string(name) + " is set and empty; give it a value, or unset it");
    }
  }
  return {};
}

std::optional<std::string> Get(const Variables& variables, const char* name) {
  return name == nullptr ? std::nullopt : variables(name);
}

Result<std::optional<int>> GetNumber(const Variables& variables, const char* name, int most) {
  const auto text = Get(variables, name);
  if (!text) return std::optional<int>();
  int number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error == std::errc{} && end == text->data() + text->size() && number >= 0 && number <= most) {
    return std::optional<int>(number);
  }
  return InvalidArgument(std::string(name) + " is '" + internal::Printable(text->substr(0, 120), '?') +
                         "', and must be a number from 0 to " + std::to_string(most));
}

// Slurm's batch script and its interactive shell are one process beside the ranks, although they have SLURM_PROCID.
// They have no step, or one with a number from 0xfffffff0 on, which Slurm keeps for steps of this kind.
bool IsInStep(const Variables& variables) {
  const auto modern = variables("SLURM_STEP_ID");
  const auto step = modern ? modern : variables("SLURM_STEPID");
  if (!step) return false;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(step->data(), step->data() + step->size(), number);
  return error != std::errc{} || number < 0xFFFFFFF0;
}

bool IsPresent(const Variables& variables, const Launcher& launcher) {
  return !launcher.is_slurm || IsInStep(variables);
}

// The first launcher with both variables. If there is none, the first one with the rank, and then with the size:
// TakeRanks() tells what is missing.
const Launcher* FindLauncher(const Variables& variables) {
  const auto has = [&](const Launcher& launcher, const char* name) {
    return IsPresent(variables, launcher) && Get(variables, name).has_value();
  };
  for (const Launcher& launcher : kLaunchers) {
    if (has(launcher, launcher.rank) && has(launcher, launcher.size)) return &launcher;
  }
  for (const Launcher& launcher : kLaunchers) {
    if (has(launcher, launcher.rank)) return &launcher;
  }
  for (const Launcher& launcher : kLaunchers) {
    if (has(launcher, launcher.size)) return &launcher;
  }
  return nullptr;
}

std::string Set(const char* name, int value) { return std::string(name) + " is " + std::to_string(value); }

Error HalfAPair(const char* present, const char* missing) {
  return InvalidArgument(std::string(present) + " is set, and " + missing + " is not; set " + missing +
                         " too, or neither for a process on its own");
}

// RANK or WORLD_SIZE alone beside another launcher: which one is meant is unknown. Kubernetes has WORLD_SIZE only.
Result<void> CheckPairs(const Variables& variables, const Launcher& of) {
  if (of.name == std::string_view("Kubernetes")) return {};
  for (const Launcher& other : std::span(kLaunchers).first(3)) {
    const bool has_rank = Get(variables, other.rank).has_value();
    if (has_rank == Get(variables, other.size).has_value()) continue;
    return has_rank ? HalfAPair(other.rank, other.size) : HalfAPair(other.size, other.rank);
  }
  return {};
}

Result<void> TakeRanks(const Variables& variables, const Launcher& of, RunEnvironment& run) {
  const auto rank = GetNumber(variables, of.rank, kMost);
  if (!rank) return rank.error();
  const auto size = GetNumber(variables, of.size, kMost);
  if (!size) return size.error();
  if (!*rank) return HalfAPair(of.size, of.rank);
  if (!*size) return HalfAPair(of.rank, of.size);
  if (**rank >= **size) {
    return InvalidArgument(Set(of.rank, **rank) + ", and " + Set(of.size, **size) +
                           ": ranks go from 0 to one less than the size");
  }
  run.launcher = of.name;
  run.rank = **rank;
  run.world_size = **size;
  return {};
}

// The rank, if this launcher has started so many processes.
std::optional<int> RankAmong(const Variables& variables, const Launcher& launcher, int world_size) {
  if (!IsPresent(variables, launcher)) return std::nullopt;
  const auto rank = GetNumber(variables, launcher.rank, kMost);
  const auto size = GetNumber(variables, launcher.size, kMost);
  if (!rank || !size || *size != world_size) return std::nullopt;
  return *rank;
}

// True if the ranks are srun's, also if MPICH's variables say so too.
bool AreSruns(const Variables& variables, const RunEnvironment& run) {
  return std::any_of(kLaunchers.begin(), kLaunchers.end(), [&](const Launcher& launcher) {
    return launcher.is_slurm && RankAmong(variables, launcher, run.world_size) == run.rank;
  });
}

// Two launchers that started the same number of processes number them in the same way. torchrun's agents meet in any
// order, so its ranks may differ.
Result<void> CheckOtherLaunchers(const Variables& variables, const Launcher& of, const RunEnvironment& run) {
  if (variables("TORCHELASTIC_RUN_ID")) return {};
  for (const Launcher& other : kLaunchers) {
    const bool is_same = other.rank == std::string_view(of.rank) || other.size == std::string_view(of.size);
    const auto rank = RankAmong(variables, other, run.world_size);
    if (is_same || !rank || *rank == run.rank) continue;
    return InvalidArgument(Set(of.rank, run.rank) + " and " + Set(other.rank, *rank) + ", and both " + of.size +
                           " and " + other.size + " are " + std::to_string(run.world_size) +
                           "; unset the variables of one of them");
  }
  return {};
}

Result<void> TakeLocalRank(const Variables& variables, const Launcher& of, RunEnvironment& run) {
  if (of.local == nullptr) return {};
  const auto local = GetNumber(variables, of.local, kMost);
  if (!local) return local.error();
  run.local_rank = *local;
  if (!*local) return {};
  if (**local > run.rank) {
    return InvalidArgument(Set(of.local, **local) + ", and " + Set(of.rank, run.rank) +
                           ": a local rank is not above the rank");
  }
  if (of.local_size == nullptr) return {};
  const auto local_size = GetNumber(variables, of.local_size, kMost);
  if (!local_size) return local_size.error();
  if (!*local_size || (**local < **local_size && **local_size <= run.world_size)) return {};
  return InvalidArgument(Set(of.local, **local) + ", " + Set(of.local_size, **local_size) + " and " +
                         Set(of.size, run.world_size) + " contradict each other");
}

// If each index has one process, the index is the rank.
Result<void> CheckIndex(const Variables& variables, const RunEnvironment& run) {
  const auto index = GetNumber(variables, "JOB_COMPLETION_INDEX", kMost);
  if (!index) return index.error();
  const auto local_size = GetNumber(variables, "LOCAL_WORLD_SIZE", kMost);
  if (!local_size) return local_size.error();
  // torchrun's agents meet in any order.
  if (variables("TORCHELASTIC_RUN_ID") || run.launcher != "torchrun" || !*index || local_size->value_or(1) != 1 ||
      **index == run.rank)
    return {};
  return InvalidArgument(Set("JOB_COMPLETION_INDEX", **index) + ", and " + Set("RANK", run.rank) +
                         ": set LOCAL_WORLD_SIZE if one index has several processes, else leave RANK out");
}

Result<void> TakeMaster(const Variables& variables, RunEnvironment& run) {
  const auto port = GetNumber(variables, "MASTER_PORT", std::numeric_limits<std::uint16_t>::max());
  if (!port) return port.error();
  if (*port == 0) return InvalidArgument("MASTER_PORT is 0, and must be the port of rank 0, from 1 to 65535");
  if (*port) run.master_port = static_cast<std::uint16_t>(**port);
  run.store_file = Get(variables, "GCSFLUX_STORE_FILE").value_or("");
  if (const auto host = Get(variables, "MASTER_ADDR")) {
    run.master_host = *host;
    return {};
  }
  if (run.launcher != "Slurm" && (run.launcher != "MPICH" || !AreSruns(variables, run))) return {};
  for (const char* const name : {"SLURM_STEP_NODELIST", "SLURM_NODELIST"}) {
    const auto list = Get(variables, name);
    if (!list) continue;
    run.master_host = internal::FirstHost(*list);
    if (!run.master_host.empty()) return {};
    return InvalidArgument(std::string(name) + " is '" + internal::Printable(list->substr(0, 120), '?') +
                           "', which is no list of hosts; set MASTER_ADDR");
  }
  return {};
}

}  // namespace

Result<RunEnvironment> RunEnvironment::Detect(const Variables& variables) {
  RunEnvironment run;
  if (auto checked = CheckNoneIsEmpty(variables); !checked) return checked.error();
  if (const Launcher* const launcher = FindLauncher(variables)) {
    if (auto pairs = CheckPairs(variables, *launcher); !pairs) return pairs.error();
    if (auto ranks = TakeRanks(variables, *launcher, run); !ranks) return ranks.error();
    if (auto local = TakeLocalRank(variables, *launcher, run); !local) return local.error();
    if (auto others = CheckOtherLaunchers(variables, *launcher, run); !others) return others.error();
    if (auto index = CheckIndex(variables, run); !index) return index.error();
  }
  if (auto master = TakeMaster(variables, run); !master) return master.error();
  return run;
}

Result<RunEnvironment> RunEnvironment::Detect() { return Detect(internal::ProcessEnv); }

std::pair<std::int64_t, std::int64_t> DivideRows(std::int64_t rows, const RunEnvironment& run) {
  if (rows < 0 || run.rank < 0 || run.rank >= run.world_size) return {};
  const std::int64_t least = rows / run.world_size;
  const std::int64_t longer = rows % run.world_size;
  const std::int64_t begin = least * run.rank + std::min<std::int64_t>(run.rank, longer);
  return {begin, begin + least + (run.rank < longer ? 1 : 0)};
}

}  // namespace gcsflux
