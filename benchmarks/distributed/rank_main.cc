// A rank of bench_distributed: a process that joins the others, does one task at the same time, and writes its figures
// to standard output, a "name value" per line.
#include <gflags/gflags.h>

#include <exception>
#include <functional>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>

#include "distributed/bare_ranks.h"
#include "distributed/rank_tasks.h"
#include "gcsflux/flags.h"
#include "gcsflux/torch/collective.h"
#include "process_cpu.h"
#include "sharding/ranks/message_group.h"

DEFINE_string(task, "", "save, load, bare_write, bare_read, snapshots or training");
DEFINE_string(run, "gs://bench/run", "Where the steps are");
DEFINE_int64(tensors, 1, "Tensors of the state");
DEFINE_int64(rows, 1, "Rows of each tensor");
DEFINE_int64(columns, 1, "Columns of each tensor");
DEFINE_int64(dimension, 0, "Which dimension the ranks divide; -1: each has all");
DEFINE_int32(per_rank, 8, "Connections of each rank");
DEFINE_bool(lazy, false, "Copies of the state are made on another thread");
DEFINE_bool(once_per_host, false, "A byte that several ranks want is read by one of them");

namespace gcsflux::bench {
namespace {

int Fail(const std::string& message) {
  std::cerr << "bench_rank: " + message.substr(0, message.find('\n')) + "\n";
  return 1;
}

// All ranks start together, and each measures only its own time.
void Time(Collective& group, const std::function<void()>& work) {
  ValueOrThrow(internal::MessagesOf(group).Barrier());
  const double cpu = ProcessCpuSeconds();
  const auto start = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::cout << "seconds " << took.count() << "\ncpu_seconds " << ProcessCpuSeconds() - cpu << '\n';
}

void MoveBareBytes(const RankTask& task, const std::string& endpoint) {
  const auto ranks = static_cast<std::uint64_t>(task.environment.world_size);
  BareTransfer transfer({.endpoint = endpoint,
                         .prefix = "bare-" + std::to_string(task.environment.rank) + "-",
                         .bytes = task.tensors.bytes() / ranks,
                         .connections = task.connections});
  Time(task.group, [&] {
    if (!(FLAGS_task == "bare_write" ? transfer.Write() : transfer.Read())) throw std::runtime_error("not all came");
  });
}

void Save(const RankTask& task) {
  const RunState state = FilledSlices(task.tensors, task.environment);
  CheckpointRun run = OpenRun(task);
  Time(task.group, [&] { run.Save(1, state); });
}

void Load(const RankTask& task) {
  RunState state = EmptySlices(task.tensors, task.environment);
  CheckpointRun run = OpenRun(task);
  Time(task.group, [&] {
    if (!run.LoadLatest(state)) throw std::runtime_error("there is no step");
  });
  if (!HaveSameBytes(state, FilledSlices(task.tensors, task.environment))) throw std::runtime_error("other bytes came");
}

void RunTask(const ClientOptions& options) {
  const RunEnvironment environment = ValueOrThrow(RunEnvironment::Detect());
  const auto store = OpenProcessStore(environment);
  const auto group = JoinProcesses(environment, store);
  const Client client = ValueOrThrow(Client::Create(options));
  const RankTask task{
      .environment = environment,
      .group = *group,
      .client = client,
      .run = FLAGS_run,
      .tensors = {.count = FLAGS_tensors, .rows = FLAGS_rows, .columns = FLAGS_columns, .dimension = FLAGS_dimension},
      .connections = FLAGS_per_rank,
      .is_lazy = FLAGS_lazy,
      .reads_once_per_host = FLAGS_once_per_host};
  if (FLAGS_task == "save") return Save(task);
  if (FLAGS_task == "load") return Load(task);
  if (FLAGS_task == "bare_write" || FLAGS_task == "bare_read") return MoveBareBytes(task, options.endpoint);
  if (FLAGS_task == "snapshots") return TakeSnapshots(task);
  if (FLAGS_task == "training") return Train(task);
  throw std::runtime_error("there is no task '" + FLAGS_task + "'");
}

int Run(int argc, char** argv) {
  const auto rest = ParseFlags(argc, argv);
  if (!rest) return Fail(rest.error().message);
  const auto options = ClientOptionsFromFlags();
  if (!options) return Fail(options.error().message);
  RunTask(*options);
  return 0;
}

}  // namespace
}  // namespace gcsflux::bench

int main(int argc, char** argv) {
  try {
    return gcsflux::bench::Run(argc, argv);
  } catch (const std::exception& error) {
    return gcsflux::bench::Fail(error.what());
  }
}
