// How much slower is a training that saves every 10 steps? Adam trains a network of 16.8 million parameters on one
// core; the state has 200 MB with Adam's. Ten steps with a save and ten without one alternate, so that other load of
// the machine affects both. The emulator has the latencies of profile gcs, and one stream writes 25 MB/s, so that the
// two cores are not the limit. Aim: saves during training cost at most 5 %.
#include <benchmark/benchmark.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/adam.h>
#include <torch/utils.h>

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint_runs/big_state.h"
#include "object_streams/service.h"
#include "one_core.h"

namespace gcsflux::bench {
namespace {

constexpr std::int64_t kBatch = 192;
constexpr int kTurns = 3;
constexpr int kSteps = 10;  // From one save to the next.

enum Way { kSync, kEager, kLazy };

class Training {
 public:
  Training(Way way, std::int64_t width)
      : way_(way), run_(service_.client(), "gs://bench/run", Options(way)), input_(torch::randn({kBatch, width})) {
    UseOneCore();
    LetOthersGoFirst(service_.pid());
    for (int i = 0; i < 4; ++i) network_->push_back(torch::nn::Linear(width, width));
    adam_.emplace(network_->parameters());
    Step();  // Creates Adam's state.
    Save();  // The first one allocates the memory for copies.
    AwaitAll();
    service_.BeLikeGcs(kReadMbps, kWriteMbps);
  }

  void Step() {
    adam_->zero_grad();
    const torch::Tensor loss = network_->forward(input_).square().mean();
    loss.backward();
    if (!pending_.empty()) pending_.back().WaitStaged();
    adam_->step();
    ++step_;
  }

  void Save() {
    const RunState state{.modules = {{"model", network_.get()}}, .optimizers = {{"optimizer", &*adam_}}};
    if (way_ == kSync)
      run_.Save(step_, state);
    else
      pending_.push_back(run_.SaveAsync(step_, state));
  }

  void AwaitAll() {
    for (const PendingSave& save : pending_) ValueOrThrow(save.WaitCommitted());
    pending_.clear();
  }

  /// The time of ten steps; with a save, until it is committed.
  double TenSteps(bool saves) {
    const auto start = BenchClock::now();
    if (saves) Save();
    for (int i = 0; i < kSteps; ++i) Step();
    AwaitAll();
    return SecondsSince(start);
  }

 private:
  static CheckpointRunOptions Options(Way way) {
    return {.keep = KeepRules{.last = 1}, .async = {.is_lazy = way == kLazy}};
  }

  Way way_;
  StreamService service_;
  CheckpointRun run_;
  torch::nn::Sequential network_;
  std::optional<torch::optim::Adam> adam_;
  torch::Tensor input_;
  std::deque<PendingSave> pending_;
  std::int64_t step_ = 0;
};

void BM_Training(benchmark::State& state) {
  Training training(static_cast<Way>(state.range(0)), state.range(1));
  std::vector<double> with;
  std::vector<double> without;
  for (auto _ : state) {
    for (int i = 0; i < kTurns; ++i) {
      without.push_back(training.TenSteps(false));
      with.push_back(training.TenSteps(true));
    }
  }
  state.counters["without_ms"] = MedianMs(without);
  state.counters["with_ms"] = MedianMs(with);
}
BENCHMARK(BM_Training)
    ->ArgNames({"way", "width"})
    ->ArgsProduct({{kSync, kEager, kLazy}, {128, 2048}})
    ->UseRealTime()
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gcsflux::bench
