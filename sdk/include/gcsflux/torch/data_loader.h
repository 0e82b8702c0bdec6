#pragma once

#include <torch/data/dataloader.h>
#include <torch/data/datasets/map.h>
#include <torch/data/transforms/stack.h>
#include <torch/data/worker_exception.h>

#include <cstddef>
#include <exception>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "gcsflux/epoch.h"
#include "gcsflux/torch/epoch_sampler.h"
#include "gcsflux/torch/map_dataset.h"

namespace gcsflux {

/// How a loader runs.
struct LoaderOptions {
  /// Threads that collate batches ahead of the loop. With 0, the loop's thread does it. Objects are fetched ahead, and
  /// decoded by DatasetOptions::decode_threads, in either case. Raise it if collating takes longer than a step.
  std::size_t workers = 2;
  std::optional<Cursor> cursor = {};  ///< Where an earlier run ended.
  /// See CheckCursor().
  bool allow_changed_listing = false;
};

/// A MapDataset's epochs as batches of libtorch's DataLoader, in an order that is announced to the dataset and can be
/// resumed. Made by MakeDataLoader(). For one loop at a time; movable.
template <class Sample = torch::data::Example<>, class Collate = torch::data::transforms::Stack<Sample>>
class DataLoader {
  using Collated = torch::data::datasets::MapDataset<BasicMapDataset<Sample>, Collate>;
  using Loader = torch::data::StatelessDataLoader<Collated, EpochSampler>;

 public:
  using BatchType = typename Collated::BatchType;

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = BatchType;
    using difference_type = std::ptrdiff_t;
    using pointer = BatchType*;
    using reference = BatchType&;

    Iterator() = default;
    Iterator(std::shared_ptr<Loader> loader, EpochSampler sampler)
        : loader_(std::move(loader)), sampler_(std::move(sampler)) {
      Fetch([this] { batches_.emplace(loader_->begin()); });
    }
    BatchType& operator*() { return **batches_; }
    BatchType* operator->() { return &**batches_; }
    /// Throws StorageError if the batch fails.
    Iterator& operator++() {
      Fetch([this] { ++*batches_; });
      return *this;
    }
    /// True if both have ended, or none has.
    friend bool operator==(const Iterator& a, const Iterator& b) {
      return a.batches_.has_value() == b.batches_.has_value();
    }

   private:
    // A worker's exception arrives as what the worker threw.
    template <class Move>
    void Fetch(const Move& move) try {
      move();
      if (*batches_ == loader_->end()) return batches_.reset();
      sampler_->BatchConsumed();
    } catch (const torch::data::WorkerException& worker) {
      std::rethrow_exception(worker.original_exception);
    }

    std::shared_ptr<Loader> loader_ = {};
    std::optional<EpochSampler> sampler_ = {};
    std::optional<torch::data::Iterator<BatchType>> batches_ = {};
  };

  /// For MakeDataLoader().
  DataLoader(BasicMapDataset<Sample> dataset, EpochSampler sampler, Collate collate, std::size_t batch_size,
             std::size_t workers)
      : dataset_(std::move(dataset)),
        sampler_(std::move(sampler)),
        collate_(std::move(collate)),
        batch_size_(batch_size),
        workers_(workers) {}

  /// The next epoch. If the last loop ended early, this is the rest of its epoch. Throws StorageError if the first
  /// batch fails.
  [[nodiscard]] Iterator begin() {
    // A loader of libtorch cannot begin again after a loop that ended early. The dataset keeps what is fetched ahead.
    running_.reset();
    running_ = std::make_shared<Loader>(Collated(dataset_, collate_), sampler_,
                                        torch::data::DataLoaderOptions(batch_size_).workers(workers_));
    return Iterator(running_, sampler_);
  }
  [[nodiscard]] Iterator end() const { return {}; }

  /// Behind the last batch that a loop received; after a loop's end, the beginning of the next epoch. Save it with the
  /// model.
  [[nodiscard]] Cursor cursor() const { return sampler_.cursor(); }

 private:
  BasicMapDataset<Sample> dataset_;
  EpochSampler sampler_;
  Collate collate_;
  std::size_t batch_size_;
  std::size_t workers_;
  std::shared_ptr<Loader> running_ = {};
};

/// A loader for training: objects are fetched ahead, across batches and epochs.
///
///     gcsflux::MapDataset dataset(client, {"my-bucket", "train/"}, Decode);
///     auto loader = gcsflux::MakeDataLoader(dataset, {.seed = 7, .batch_size = 64}, {.cursor = saved});
///     while (loader.cursor().epoch < 3) {
///       for (auto& batch : loader) {
///         Train(batch.data, batch.target);
///         if (IsTimeToSave()) Save(model, loader.cursor());
///       }
///     }
///
/// `collate` is a transform of libtorch that makes one batch of the samples. Throws StorageError with the errors of
/// EpochSampler.
template <class Sample, class Collate = torch::data::transforms::Stack<Sample>>
DataLoader<Sample, Collate> MakeDataLoader(const BasicMapDataset<Sample>& dataset, const EpochOptions& epochs,
                                           const LoaderOptions& options = {}, Collate collate = {}) {
  EpochSampler sampler(dataset, epochs, options.cursor, options.allow_changed_listing);
  return {dataset, std::move(sampler), std::move(collate), static_cast<std::size_t>(epochs.batch_size),
          options.workers};
}

}  // namespace gcsflux
