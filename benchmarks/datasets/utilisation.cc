// Which share of the time does an accelerator compute, if a step for each batch takes as long as 80 % of the service's
// bandwidth needs to deliver the batch? Aims: 95 %, or 92 % if a step varies by half of itself; between epochs the loop
// waits for at most 1.5 times the median time between batches. The accelerator's step is a sleep of the loop's thread.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "datasets/loops.h"
#include "datasets/service.h"
#include "gcsflux/download.h"

namespace gcsflux::bench {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr int kMostConnections = 16;
constexpr int kEpochs = 3;

// Bytes per second in the steady state: during the middle three fifths. Objects are not held back for their order.
double BandwidthOf(const LoopInput& input, std::string& failure) {
  const Downloader downloader(input.client, input.dataset.download);
  auto stream = downloader.Stream(DownloadSources(kBucket, input.objects), DeliveryOrder::kAsCompleted);
  const std::size_t first = input.objects.size() / 5;
  const std::size_t last = input.objects.size() - first;
  Clock::time_point begin, end;
  for (std::size_t seen = 1; seen <= input.objects.size(); ++seen) {
    const auto object = stream.Next();
    if (!object) {
      failure = object.error().message;
      break;
    }
    if (seen == first) begin = Clock::now();
    if (seen == last) end = Clock::now();
  }
  return static_cast<double>((last - first) * input.objects.front().size) / Seconds(end - begin).count();
}

class Consumer {
 public:
  // A step of this many seconds on average, which varies by this share.
  Consumer(double step, double variation) : step_(step), factor_(1 - variation, 1 + variation) {}

  void BeginEpoch() { is_first_ = true; }

  void OnBatch() {
    const auto now = Clock::now();
    if (last_begin_ != Clock::time_point()) {
      intervals_.push_back(Seconds(now - last_begin_).count());
      if (is_first_) between_.push_back(Seconds(now - last_end_).count());
    } else {
      first_ = now;
    }
    is_first_ = false;
    last_begin_ = now;
    std::this_thread::sleep_until(now + std::chrono::duration_cast<Clock::duration>(Seconds(step_ * factor_(random_))));
    last_end_ = Clock::now();
    computed_ += Seconds(last_end_ - now).count();
  }

  // Of the time from the first batch's arrival to the end of the last step.
  [[nodiscard]] double Utilisation() const { return computed_ / Seconds(last_end_ - first_).count(); }
  // The longest wait between epochs, in median times between batches.
  [[nodiscard]] double BetweenEpochs() {
    std::ranges::nth_element(intervals_, intervals_.begin() + static_cast<std::ptrdiff_t>(intervals_.size() / 2));
    return *std::ranges::max_element(between_) / intervals_[intervals_.size() / 2];
  }

 private:
  const double step_;
  std::uniform_real_distribution<> factor_;
  std::mt19937 random_{1};
  bool is_first_ = true;
  double computed_ = 0;
  Clock::time_point first_, last_begin_, last_end_;
  std::vector<double> intervals_, between_;
};

// Arguments: way, KiB, variation of a step in percent.
void BM_Utilisation(benchmark::State& state) {
  SizeClass size = ClassOf(state.range(1));
  size.batch = 64;
  if (state.range(1) == 3072) {
    size.objects = 480;
    size.batch = 32;
  }
  const Service service;
  LoopInput input{.client = service.MakeClient(),
                  .endpoint = service.endpoint(),
                  .objects = service.Store(size),
                  .epochs = {.seed = 7, .batch_size = size.batch}};
  input.dataset.download.max_concurrency = kMostConnections;
  input.dataset.download.adapts_concurrency = false;
  service.BeLikeGcs(size.stream_mbps);
  std::string failure;
  const double bandwidth = BandwidthOf(input, failure);
  const double step = static_cast<double>(size.batch * size.bytes) / (0.8 * bandwidth);
  Consumer consumer(step, static_cast<double>(state.range(2)) / 100);
  const auto loop = MakeLoop(static_cast<Way>(state.range(0)), input, kMostConnections);
  for (auto _ : state) {
    for (int epoch = 0; epoch < kEpochs && failure.empty(); ++epoch) {
      consumer.BeginEpoch();
      failure = loop->Epoch([&](std::span<const std::span<const std::byte>>) { consumer.OnBatch(); });
    }
  }
  if (!failure.empty()) return state.SkipWithError(failure.c_str());
  state.counters["step_ms"] = step * 1e3;
  state.counters["utilisation"] = consumer.Utilisation();
  state.counters["x_between_epochs"] = consumer.BetweenEpochs();
}
BENCHMARK(BM_Utilisation)
    ->ArgNames({"way", "kib", "varies"})
    ->ArgsProduct({{kMap, kIterable}, {100, 500, 3072}, {0, 50}})
    ->Iterations(1)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gcsflux::bench
