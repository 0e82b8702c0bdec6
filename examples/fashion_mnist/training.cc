#include "fashion_mnist/training.h"

#include <torch/data.h>
#include <torch/nn/functional/loss.h>
#include <torch/utils.h>

#include <chrono>

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kBatchSize = 64;
constexpr std::size_t kWorkers = 2;
constexpr std::size_t kProgressReports = 5;  // In an epoch.

template <class Sampler>
auto MakeLoader(const gcsflux::MapDataset& images) {
  return torch::data::make_data_loader<Sampler>(
      gcsflux::MapDataset(images).map(torch::data::transforms::Stack<>()),
      torch::data::DataLoaderOptions().batch_size(kBatchSize).workers(kWorkers));
}

double SecondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

torch::Tensor Scores(Network& network, const torch::Tensor& pixels) {
  return network.forward(pixels.to(torch::kFloat32).div_(255));
}

double TrainBatch(Network& network, torch::optim::Optimizer& optimizer, const torch::data::Example<>& batch) {
  optimizer.zero_grad();
  const torch::Tensor loss = torch::nn::functional::cross_entropy(Scores(network, batch.data), batch.target);
  loss.backward();
  optimizer.step();
  return loss.item<double>();
}

}  // namespace

EpochReport TrainEpoch(Network& network, torch::optim::Optimizer& optimizer, const gcsflux::MapDataset& images,
                       std::uint64_t seed, const std::function<void(const EpochReport&)>& on_progress) {
  network.train();
  const auto loader = MakeLoader<torch::data::samplers::RandomSampler>(images);
  torch::manual_seed(seed);  // The sampler shuffles when the loop below begins.

  const std::size_t report_every = std::max<std::size_t>(images.objects().size() / kProgressReports, 1);
  EpochReport report;
  double total_loss = 0;
  const Clock::time_point start = Clock::now();
  Clock::time_point idle_since = start;
  for (const torch::data::Example<>& batch : *loader) {
    report.waiting_seconds += SecondsSince(idle_since);
    const std::size_t images_before = report.images;
    const auto batch_images = static_cast<std::size_t>(batch.data.size(0));
    total_loss += TrainBatch(network, optimizer, batch) * static_cast<double>(batch_images);

    report.images += batch_images;
    report.loss = total_loss / static_cast<double>(report.images);
    report.seconds = SecondsSince(start);
    if (report.images / report_every != images_before / report_every) on_progress(report);
    idle_since = Clock::now();
  }
  return report;
}

double Accuracy(Network& network, const gcsflux::MapDataset& images) {
  network.eval();
  const torch::NoGradGuard no_grad;
  const auto loader = MakeLoader<torch::data::samplers::SequentialSampler>(images);
  std::int64_t right = 0;
  for (const torch::data::Example<>& batch : *loader) {
    right += Scores(network, batch.data).argmax(1).eq(batch.target).sum().item<std::int64_t>();
  }
  return static_cast<double>(right) / static_cast<double>(images.objects().size());
}
