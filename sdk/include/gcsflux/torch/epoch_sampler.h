#pragma once

#include <torch/data/samplers/base.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "gcsflux/epoch.h"
#include "gcsflux/torch/map_dataset.h"
#include "gcsflux/torch/storage_error.h"

namespace gcsflux {

namespace internal {
class EpochProgress;
}  // namespace internal

/// The order of a MapDataset's epochs for libtorch's DataLoader: by rank, shuffled again for each epoch by seed and
/// epoch, and resumable within an epoch. It tells the dataset the order. From each begin() of the loader on, objects
/// are fetched ahead in this order, across batches and into the next epoch. Use one sampler at a time for a dataset and
/// its copies.
///
///     EpochSampler sampler(dataset, {.seed = 7, .batch_size = 64}, cursor);
///     auto loader = torch::data::make_data_loader(dataset, sampler, DataLoaderOptions(64).workers(2));
///     for (auto& batch : *loader) {
///       Train(batch);
///       sampler.BatchConsumed();
///       if (IsTimeToSave()) Save(model, FormatCursor(sampler.cursor()));
///     }
///
/// A loader reads ahead, so only the loop knows which batches it has used: it calls BatchConsumed(). Keep
/// DataLoaderOptions::enforce_ordering at its default, because batches are consumed in their order. Keep drop_last at
/// its default too, and set EpochTail::kDrop: a batch that the loader drops is never consumed, so that the epoch would
/// not end, and each later begin() of the loader would give no batch. A handle: the
/// loader's copy and the loop's copy share the position. Each begin() of the loader begins at the position of the run.
/// If all batches of the last epoch were consumed, that is the next epoch. Otherwise it is the first batch that was not
/// consumed: a loop that ended early continues there. Batches that were handed out but not consumed are handed out
/// again.
class EpochSampler : public torch::data::samplers::Sampler<std::vector<std::size_t>> {
 public:
  /// Begins at `cursor`, or at the beginning of the first epoch. Throws StorageError with kInvalidArgument if an option
  /// is out of its range, an epoch of the listing has no batch for this rank, or CheckCursor() refuses the cursor.
  template <class Sample>
  EpochSampler(const BasicMapDataset<Sample>& dataset, const EpochOptions& options,
               const std::optional<Cursor>& cursor = {}, bool allow_changed_listing = false)
      : EpochSampler(dataset.handle_, options, cursor, allow_changed_listing) {}

  /// The loop has used its next batch. Throws StorageError if there is none.
  void BatchConsumed();
  /// The position of the run: behind the last batch that was consumed.
  [[nodiscard]] Cursor cursor() const;

  /// For the DataLoader. Throws StorageError if the loader's batch size is not EpochOptions::batch_size, or it requests
  /// another number of samples than the dataset has.
  void reset(torch::optional<std::size_t> new_size = torch::nullopt) override;
  torch::optional<std::vector<std::size_t>> next(std::size_t batch_size) override;
  /// Saves the cursor as text, as libtorch's own samplers save their position. load() throws the exceptions of the
  /// constructor.
  void save(torch::serialize::OutputArchive& archive) const override;
  void load(torch::serialize::InputArchive& archive) override;

 private:
  EpochSampler(internal::DatasetHandle dataset, const EpochOptions& options, const std::optional<Cursor>& cursor,
               bool allow_changed_listing);

  internal::DatasetHandle dataset_;
  std::shared_ptr<const internal::EpochProgress> progress_;
};

}  // namespace gcsflux
