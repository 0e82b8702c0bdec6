#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "gcsflux/result.h"

namespace gcsflux {

/// Which process of a job this one is, from the environment variables that its launcher sets. Checkpoints of many
/// processes and EpochOptionsFromFlags() use it. For datasets: `EpochOptions{.rank = run.rank, .world_size = ...}`.
struct RunEnvironment {
  int rank = 0;                                   ///< From 0, below world_size.
  int world_size = 1;                             ///< Number of processes of the job.
  std::optional<int> local_rank = {};             ///< Among the processes of this machine, if the launcher says so.
  std::string master_host = {};                   ///< Where rank 0 can be reached. Empty if nothing says so.
  std::optional<std::uint16_t> master_port = {};  ///< Where rank 0 serves the store.
  /// A file that all processes of one machine can write, instead of a port: scripts/run_ranks sets it. May be empty.
  std::string store_file = {};
  std::string launcher =
      {};  ///< "torchrun", "Open MPI", "MPICH", "Slurm", "Kubernetes"; empty for a process on its own.

  /// Reads a variable. Returns nothing if it is not set.
  using Variables = std::function<std::optional<std::string>(const char* name)>;

  /// Uses the first of these with both of its variables:
  /// - torchrun, and launchers that set the same variables: RANK and WORLD_SIZE, also LOCAL_RANK and LOCAL_WORLD_SIZE.
  /// - Open MPI: OMPI_COMM_WORLD_RANK and OMPI_COMM_WORLD_SIZE, also OMPI_COMM_WORLD_LOCAL_RANK.
  /// - MPICH and Intel MPI: PMI_RANK and PMI_SIZE, also MPI_LOCALRANKID.
  /// - Slurm, in a step that srun has started (SLURM_STEP_ID or SLURM_STEPID): SLURM_PROCID, and SLURM_STEP_NUM_TASKS
  ///   or SLURM_NTASKS, also SLURM_LOCALID. The first host of SLURM_STEP_NODELIST or SLURM_NODELIST is the master's. A
  ///   batch script is a process on its own.
  /// - an indexed job of Kubernetes: JOB_COMPLETION_INDEX, and WORLD_SIZE, which the job's manifest sets.
  /// MASTER_ADDR, MASTER_PORT and GCSFLUX_STORE_FILE apply to all. Without any of them the process is a job of one
  /// process.
  ///
  /// Returns kInvalidArgument if one of a pair is missing, one of these variables is
  /// empty or not a number, or two contradict each other. Two launchers contradict each other if they have the same
  /// size and another rank, unless torchrun's agent (TORCHELASTIC_RUN_ID) gave the ranks. The message names the
  /// variables.
  static Result<RunEnvironment> Detect(const Variables& variables);
  /// The variables of this process.
  static Result<RunEnvironment> Detect();
};

/// The rows [first, second) of this rank, of `rows` that all ranks divide. If they do not divide evenly, the first
/// ranks get one more. If there are fewer rows than ranks, the last ranks get none. A rank that does not exist gets
/// none. Only `rank` and `world_size` count.
std::pair<std::int64_t, std::int64_t> DivideRows(std::int64_t rows, const RunEnvironment& run);

}  // namespace gcsflux
