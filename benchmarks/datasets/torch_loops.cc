// The loops over our datasets by libtorch.
#include <torch/data/dataloader.h>

#include <utility>

#include "datasets/loops.h"
#include "datasets/service.h"
#include "gcsflux/torch/epoch_sampler.h"
#include "gcsflux/torch/iterable_dataset.h"
#include "gcsflux/torch/map_dataset.h"

namespace gcsflux::bench {
namespace {

using Samples = std::vector<torch::data::TensorExample>;

void Tell(const OnBatch& on_batch, const Samples& samples) {
  if (!on_batch) return;
  std::vector<std::span<const std::byte>> views;
  views.reserve(samples.size());
  for (const auto& sample : samples) {
    views.push_back(
        {static_cast<const std::byte*>(sample.data.data_ptr()), static_cast<std::size_t>(sample.data.numel())});
  }
  on_batch(views);
}

std::string Missing(std::size_t seen, std::size_t wanted) {
  return seen == wanted ? "" : std::to_string(seen) + " samples came, of " + std::to_string(wanted);
}

class Map : public Loop {
 public:
  explicit Map(const LoopInput& input)
      : count_(input.objects.size()),
        dataset_(TensorMapDataset::OfObjects(input.client, kBucket, input.objects, input.dataset)),
        sampler_(dataset_, input.epochs),
        loader_(torch::data::make_data_loader(
            dataset_, sampler_,
            torch::data::DataLoaderOptions(input.epochs.batch_size).workers(static_cast<std::size_t>(input.workers)))) {
  }

  std::string Epoch(const OnBatch& on_batch) override try {
    std::size_t seen = 0;
    for (const Samples& batch : *loader_) {
      seen += batch.size();
      Tell(on_batch, batch);
      sampler_.BatchConsumed();
    }
    return Missing(seen, count_);
  } catch (const std::exception& failure) {
    return failure.what();
  }

 private:
  using Loader = torch::data::StatelessDataLoader<TensorMapDataset, EpochSampler>;
  const std::size_t count_;
  const TensorMapDataset dataset_;
  EpochSampler sampler_;
  const std::unique_ptr<Loader> loader_;
};

class Iterable : public Loop {
 public:
  explicit Iterable(const LoopInput& input)
      : count_(input.objects.size()),
        dataset_(TensorIterableDataset::OfListing(input.client, {.prefix = {kBucket, ""}, .objects = input.objects},
                                                  input.epochs, input.dataset)) {}

  std::string Epoch(const OnBatch& on_batch) override try {
    std::size_t seen = 0;
    for (auto& batch : dataset_.Epoch()) {
      seen += batch.samples.size();
      Tell(on_batch, batch.samples);
    }
    return Missing(seen, count_);
  } catch (const std::exception& failure) {
    return failure.what();
  }

 private:
  const std::size_t count_;
  const TensorIterableDataset dataset_;
};

}  // namespace

std::unique_ptr<Loop> MapLoop(const LoopInput& input) { return std::make_unique<Map>(input); }
std::unique_ptr<Loop> IterableLoop(const LoopInput& input) { return std::make_unique<Iterable>(input); }

}  // namespace gcsflux::bench
