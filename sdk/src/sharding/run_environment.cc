#include "gcsflux/run_environment.h"

#include <array>
#include <charconv>
#include <limits>
#include <utility>

#include "base/invalid_argument.h"
#include "base/process/environment.h"
#include "base/text/printable.h"
#include "sharding/host_list.h"

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
};

constexpr auto kLaunchers = std::to_array<Launcher>({
    {"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"},
    {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
     "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {"Slurm", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", nullptr},
    {"Kubernetes", "JOB_COMPLETION_INDEX", "WORLD_SIZE", nullptr, nullptr},
});

// An empty variable counts as not set.
std::optional<std::string> Get(const Variables& variables, const char* name) {
  if (name == nullptr) return std::nullopt;
  auto value = variables(name);
  return value && value->empty() ? std::nullopt : value;
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

// The first launcher whose rank is set. If there is none, the first one whose size is set; TakeRanks() then reports the
// missing rank.
const Launcher* FindLauncher(const Variables& variables) {
  for (const Launcher& launcher : kLaunchers) {
    if (Get(variables, launcher.rank)) return &launcher;
  }
  for (const Launcher& launcher : kLaunchers) {
    if (Get(variables, launcher.size)) return &launcher;
  }
  return nullptr;
}

std::string Set(const char* name, int value) { return std::string(name) + " is " + std::to_string(value); }

Result<void> TakeRanks(const Variables& variables, const Launcher& of, RunEnvironment& run) {
  constexpr int kMost = std::numeric_limits<int>::max();
  const auto rank = GetNumber(variables, of.rank, kMost);
  if (!rank.ok()) return rank.error();
  const auto size = GetNumber(variables, of.size, kMost);
  if (!size.ok()) return size.error();
  if (!*rank || !*size) {
    const char* const missing = *rank ? of.size : of.rank;
    return InvalidArgument(std::string(*rank ? of.rank : of.size) + " is set, and " + missing + " is not; set " +
                           missing + " too, or neither for a process on its own");
  }
  if (**rank >= **size) {
    return InvalidArgument(Set(of.rank, **rank) + ", and " + Set(of.size, **size) +
                           ": ranks go from 0 to one less than the size");
  }
  run.launcher = of.name;
  run.rank = **rank;
  run.world_size = **size;
  return {};
}

Result<void> TakeLocalRank(const Variables& variables, const Launcher& of, RunEnvironment& run) {
  if (of.local == nullptr) return {};
  const auto local = GetNumber(variables, of.local, std::numeric_limits<int>::max());
  if (!local.ok()) return local.error();
  run.local_rank = *local;
  if (!*local) return {};
  if (**local > run.rank) {
    return InvalidArgument(Set(of.local, **local) + ", and " + Set(of.rank, run.rank) +
                           ": a local rank is not above the rank");
  }
  if (of.local_size == nullptr) return {};
  const auto local_size = GetNumber(variables, of.local_size, std::numeric_limits<int>::max());
  if (!local_size.ok()) return local_size.error();
  if (!*local_size || (**local < **local_size && **local_size <= run.world_size)) return {};
  return InvalidArgument(Set(of.local, **local) + ", " + Set(of.local_size, **local_size) + " and " +
                         Set(of.size, run.world_size) + " contradict each other");
}

// If each index has one process, the index is the rank.
Result<void> CheckIndex(const Variables& variables, const RunEnvironment& run) {
  const auto index = GetNumber(variables, "JOB_COMPLETION_INDEX", std::numeric_limits<int>::max());
  if (!index.ok()) return index.error();
  const auto local_size = GetNumber(variables, "LOCAL_WORLD_SIZE", std::numeric_limits<int>::max());
  if (!local_size.ok()) return local_size.error();
  if (run.launcher != "torchrun" || !*index || local_size->value_or(1) != 1 || **index == run.rank) return {};
  return InvalidArgument(Set("JOB_COMPLETION_INDEX", **index) + ", and " + Set("RANK", run.rank) +
                         ": set LOCAL_WORLD_SIZE if one index has several processes, else leave RANK out");
}

Result<void> TakeMaster(const Variables& variables, RunEnvironment& run) {
  const auto port = GetNumber(variables, "MASTER_PORT", std::numeric_limits<std::uint16_t>::max());
  if (!port.ok()) return port.error();
  if (*port) run.master_port = static_cast<std::uint16_t>(**port);
  run.store_file = Get(variables, "GCSFLUX_STORE_FILE").value_or("");
  if (const auto host = Get(variables, "MASTER_ADDR")) {
    run.master_host = *host;
    return {};
  }
  if (run.launcher != "Slurm") return {};
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
  if (const Launcher* const launcher = FindLauncher(variables)) {
    if (auto ranks = TakeRanks(variables, *launcher, run); !ranks.ok()) return ranks.error();
    if (auto local = TakeLocalRank(variables, *launcher, run); !local.ok()) return local.error();
    if (auto index = CheckIndex(variables, run); !index.ok()) return index.error();
  }
  if (auto master = TakeMaster(variables, run); !master.ok()) return master.error();
  return run;
}

Result<RunEnvironment> RunEnvironment::Detect() { return Detect(internal::ProcessEnv); }

}  // namespace gcsflux
