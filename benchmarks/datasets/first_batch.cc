#include "datasets/first_batch.h"

#include "gcsflux/torch/iterable_dataset.h"

namespace gcsflux::bench {

struct FirstBatch::Dataset {
  TensorIterableDataset dataset;
  std::size_t batch = 0;
};

FirstBatch::FirstBatch(const Client& client, const ObjectName& prefix, std::size_t batch)
    : dataset_(new Dataset{TensorIterableDataset(client, prefix, {.order = SampleOrder::kByName, .batch_size = batch}),
                           batch}) {}
FirstBatch::~FirstBatch() = default;

std::string FirstBatch::Get() const try {
  const auto epoch = dataset_->dataset.Epoch();
  return epoch.begin()->samples.size() == dataset_->batch ? "" : "the first batch is not whole";
} catch (const std::exception& failure) {
  return failure.what();
}

}  // namespace gcsflux::bench
