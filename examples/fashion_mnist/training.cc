#include "fashion_mnist/training.h"

#include <torch/data.h>
#include <torch/nn/functional/loss.h>
#include <torch/utils.h>

#include <chrono>

namespace {

using Clock = std::chrono::steady_clock;

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

EpochReport TrainEpoch(Network& network, torch::optim::Optimizer& optimizer, gcsflux::DataLoader<>& loader,
                       const std::function<void(const EpochReport&)>& on_batch) {
  network.train();
  EpochReport report;
  double total_loss = 0;
  const Clock::time_point start = Clock::now();
  Clock::time_point idle_since = start;
  for (const torch::data::Example<>& batch : loader) {
    report.waiting_seconds += SecondsSince(idle_since);
    const auto batch_images = static_cast<std::size_t>(batch.data.size(0));
    total_loss += TrainBatch(network, optimizer, batch) * static_cast<double>(batch_images);

    report.images += batch_images;
    report.loss = total_loss / static_cast<double>(report.images);
    report.seconds = SecondsSince(start);
    on_batch(report);
    idle_since = Clock::now();
  }
  return report;
}

double Accuracy(Network& network, const gcsflux::MapDataset& images) {
  network.eval();
  const torch::NoGradGuard no_grad;
  auto loader = gcsflux::MakeDataLoader(images, {.order = gcsflux::SampleOrder::kByName, .batch_size = kBatchSize});
  std::int64_t right = 0;
  for (const torch::data::Example<>& batch : loader) {
    right += Scores(network, batch.data).argmax(1).eq(batch.target).sum().item<std::int64_t>();
  }
  return static_cast<double>(right) / static_cast<double>(images.objects().size());
}
