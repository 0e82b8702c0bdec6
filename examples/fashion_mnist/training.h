#pragma once

#include <torch/optim/optimizer.h>

#include <cstddef>
#include <functional>

#include "fashion_mnist/network.h"
#include "gcsflux/torch/data_loader.h"
#include "gcsflux/torch/map_dataset.h"

constexpr std::size_t kBatchSize = 64;

/// How an epoch goes, or went.
struct EpochReport {
  std::size_t images = 0;
  double loss = 0;             ///< Mean over the images so far.
  double seconds = 0;          ///< Wall time.
  double waiting_seconds = 0;  ///< The part of it in which the network had no data to work on.
};

/// Trains on the images that are left of the loader's epoch, each once. `on_batch` is called after each batch, when the
/// loader's cursor is behind it. Throws what the loader throws.
EpochReport TrainEpoch(Network& network, torch::optim::Optimizer& optimizer, gcsflux::DataLoader<>& loader,
                       const std::function<void(const EpochReport&)>& on_batch);

/// The share of images whose label the network gets right.
double Accuracy(Network& network, const gcsflux::MapDataset& images);
