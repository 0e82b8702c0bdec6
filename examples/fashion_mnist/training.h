#pragma once

#include <torch/optim/optimizer.h>

#include <cstddef>
#include <functional>

#include "fashion_mnist/network.h"
#include "gcsflux/torch/epoch_sampler.h"
#include "gcsflux/torch/map_dataset.h"

constexpr std::size_t kBatchSize = 64;

/// How an epoch goes, or went.
struct EpochReport {
  std::size_t images = 0;
  double loss = 0;             ///< Mean over the images so far.
  double seconds = 0;          ///< Wall time.
  double waiting_seconds = 0;  ///< The part of it in which the network had no data to work on.
};

/// Trains on the images of the sampler's epoch that are left, each once. `on_batch` is called behind every batch, with
/// the sampler standing there. Throws what the DataLoader throws.
EpochReport TrainEpoch(Network& network, torch::optim::Optimizer& optimizer, const gcsflux::MapDataset& images,
                       gcsflux::EpochSampler& sampler, const std::function<void(const EpochReport&)>& on_batch);

/// The share of images whose label the network gets right.
double Accuracy(Network& network, const gcsflux::MapDataset& images);
