#include "distributed/rank_tasks.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iostream>
#include <thread>
#include <vector>

#include "one_core.h"
#include "process_cpu.h"
#include "sharding/ranks/message_group.h"

namespace gcsflux::bench {
namespace {

using BenchClock = std::chrono::steady_clock;

constexpr int kSaves = 5;  // After the first save, which allocates the memory for copies.
constexpr int kTurns = 5;
constexpr int kFirstSteps = 10;
constexpr std::int64_t kWidth = 1536;

double MsSince(BenchClock::time_point start) {
  return std::chrono::duration<double, std::milli>(BenchClock::now() - start).count();
}

void Report(const char* name, std::vector<double> values) {
  std::sort(values.begin(), values.end());
  std::cout << name << ' ' << values[values.size() / 2] << '\n';
}

/// The average time of a step, and the CPU of the whole process.
struct StepCost {
  int steps = 0;
  double ms = 0;
  double cpu_ms = 0;
};

/// Steps of a training: each is a product of two matrices.
class Steps {
 public:
  StepCost Run(int steps) {
    return RunUntil([&] { return --steps <= 0; });
  }
  /// At least one step.
  template <class IsEnd>
  StepCost RunUntil(const IsEnd& is_end) {
    const double cpu = ProcessCpuSeconds();
    const auto start = BenchClock::now();
    int steps = 0;
    do {
      activations_.matmul(weights_);
      ++steps;
    } while (!is_end());
    return {steps, MsSince(start) / steps, 1e3 * (ProcessCpuSeconds() - cpu) / steps};
  }

 private:
  const at::Tensor activations_ = at::rand({kWidth, kWidth});
  const at::Tensor weights_ = at::rand({kWidth, kWidth});
};

/// A copy of the state into existing memory, by as many threads as a save has.
class PlainCopy {
 public:
  explicit PlainCopy(const RunState& state) {
    for (const auto& [name, tensor] : state.slices) {
      from_.push_back(tensor.local);
      to_.push_back(tensor.local.clone());
    }
  }
  double Ms() {
    const auto start = BenchClock::now();
    const auto copy = [&](std::size_t first) {
      for (std::size_t i = first; i < from_.size(); i += 2) {
        std::memcpy(to_[i].data_ptr(), from_[i].data_ptr(), from_[i].nbytes());
      }
    };
    {
      const std::jthread other(copy, 1);
      copy(0);
    }
    return MsSince(start);
  }

 private:
  std::vector<at::Tensor> from_;
  std::vector<at::Tensor> to_;
};

}  // namespace

CheckpointRun OpenRun(const RankTask& task, const std::optional<KeepRules>& keep) {
  CheckpointRunOptions options;
  options.keep = keep;
  options.take_over = true;
  options.file.max_concurrency = task.connections;
  options.reader.max_concurrency = task.connections;
  if (task.reads_once_per_host) options.reads_once_per_host = true;
  options.async.is_lazy = task.is_lazy;
  return {task.client, task.run, task.group, std::move(options)};
}

void TakeSnapshots(const RankTask& task) {
  const RunState state = FilledSlices(task.tensors, task.environment);
  PlainCopy copy(state);
  CheckpointRun run = OpenRun(task, KeepRules{.last = 1});
  ValueOrThrow(run.SaveAsync(1, state).WaitCommitted());
  std::vector<double> copies;
  std::vector<double> blocked;
  std::vector<double> waits;
  for (int i = 0; i < kSaves; ++i) {
    // The group allows one call at a time, so no save is in flight here. The ranks copy at the same time, as in a save.
    ValueOrThrow(internal::MessagesOf(task.group).Barrier());
    copies.push_back(copy.Ms());
    ValueOrThrow(internal::MessagesOf(task.group).Barrier());
    const auto start = BenchClock::now();
    const PendingSave save = run.SaveAsync(i + 2, state);
    blocked.push_back(MsSince(start));
    save.WaitStaged();
    waits.push_back(MsSince(start));
    ValueOrThrow(save.WaitCommitted());
  }
  Report("memcpy_ms", copies);
  Report("blocked_ms", blocked);
  Report("staged_ms", waits);
}

void Train(const RankTask& task) {
  UseOneCore();
  StayOnCore(task.environment.rank);
  const RunState state = FilledSlices(task.tensors, task.environment);
  CheckpointRun run = OpenRun(task, KeepRules{.last = 1});
  ValueOrThrow(run.SaveAsync(1, state).WaitCommitted());
  Steps training;
  StepCost before = training.Run(kFirstSteps);
  std::vector<double> with;
  std::vector<double> without;
  std::vector<double> blocked;
  std::vector<double> saves;
  std::vector<double> slower;
  std::vector<double> more_cpu;
  for (int turn = 0; turn < kTurns; ++turn) {
    ValueOrThrow(internal::MessagesOf(task.group).Barrier());
    const auto start = BenchClock::now();
    const PendingSave save = run.SaveAsync(turn + 2, state);
    blocked.push_back(MsSince(start));
    const StepCost during = training.RunUntil([&] { return save.is_done(); });
    saves.push_back(MsSince(start));
    ValueOrThrow(save.WaitCommitted());
    ValueOrThrow(internal::MessagesOf(task.group).Barrier());
    const StepCost after = training.Run(during.steps);
    with.push_back(during.ms);
    without.push_back((before.ms + after.ms) / 2);
    slower.push_back(with.back() / without.back());
    more_cpu.push_back(during.cpu_ms / ((before.cpu_ms + after.cpu_ms) / 2));
    before = after;
  }
  Report("with_ms", with);
  Report("without_ms", without);
  Report("blocked_ms", blocked);
  Report("save_ms", saves);
  Report("x_step", slower);
  Report("x_cpu", more_cpu);
}

}  // namespace gcsflux::bench
