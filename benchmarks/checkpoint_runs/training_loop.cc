// How much slower is a training that saves every 10 steps? A network of 16.8 million parameters is trained on one core
// by Adam, whose state makes 200 MB with it. The emulator has the latencies of profile gcs, and one stream writes
// 25 MB/s, so that two cores do not decide. Saves beside the training are to cost at most 5 %.
#include <ATen/Parallel.h>
#include <benchmark/benchmark.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/adam.h>
#include <torch/utils.h>

#include <deque>

#include "checkpoint_runs/big_state.h"
#include "object_streams/service.h"

namespace gcsflux::bench {
namespace {

constexpr int kReadMbps = 60;
constexpr int kWriteMbps = 25;
constexpr std::int64_t kBatch = 384;
constexpr std::int64_t kSteps = 30;
constexpr std::int64_t kSaveEvery = 10;

enum Way { kNone, kSync, kEager, kLazy };

class Training {
 public:
  Training(Way way, std::int64_t width)
      : way_(way), run_(service_.client(), "gs://bench/run", Options(way)), input_(torch::randn({kBatch, width})) {
    at::set_num_threads(1);
    for (int i = 0; i < 4; ++i) network_->push_back(torch::nn::Linear(width, width));
    adam_.emplace(network_->parameters());
    Step();  // Makes Adam's state.
    if (way_ == kNone) return;
    Save();  // The first one takes the memory for copies.
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
    if (way_ == kNone) return;
    const RunState state{.modules = {{"model", network_.get()}}, .optimizers = {{"optimizer", &*adam_}}};
    const auto start = BenchClock::now();
    if (way_ == kSync)
      run_.Save(step_, state);
    else
      pending_.push_back(run_.SaveAsync(step_, state));
    blocked_ += SecondsSince(start);
  }

  void AwaitAll() {
    for (const PendingSave& save : pending_) ValueOrThrow(save.WaitCommitted());
    pending_.clear();
  }

  [[nodiscard]] double blocked() const { return blocked_; }

 private:
  static CheckpointRunOptions Options(Way way) {
    return {.keep = KeepRules{.last = 1}, .async = {.mode = way == kLazy ? SnapshotMode::kLazy : SnapshotMode::kEager}};
  }

  Way way_;
  StreamService service_;
  CheckpointRun run_;
  torch::nn::Sequential network_;
  std::optional<torch::optim::Adam> adam_;
  torch::Tensor input_;
  std::deque<PendingSave> pending_;
  std::int64_t step_ = 0;
  double blocked_ = 0;
};

// Each save has nearly 10 steps of time behind it. What it costs is within what is timed, and so is what is left of it.
void BM_Training(benchmark::State& state) {
  Training training(static_cast<Way>(state.range(0)), state.range(1));
  const double before = training.blocked();
  for (auto _ : state) {
    for (std::int64_t i = 0; i < kSteps; ++i) {
      training.Step();
      if (i % kSaveEvery == 0) training.Save();
    }
    training.AwaitAll();
  }
  state.counters["blocked_ms"] = 1e3 * (training.blocked() - before) / (kSteps / kSaveEvery);
  state.SetItemsProcessed(state.iterations() * kSteps);
}
BENCHMARK(BM_Training)
    ->ArgNames({"way", "width"})
    ->ArgsProduct({{kNone, kSync, kEager, kLazy}, {128, 2048}})
    ->UseRealTime()
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gcsflux::bench
