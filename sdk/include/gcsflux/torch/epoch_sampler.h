#pragma once

#include <torch/data/samplers/base.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "gcsflux/epoch_progress.h"
#include "gcsflux/torch/map_dataset.h"
#include "gcsflux/torch/storage_error.h"

namespace gcsflux {

/// The order of a MapDataset's epochs for libtorch's DataLoader: by rank, shuffled again for each epoch by seed and
/// epoch, and resumable in mid-epoch. It tells the dataset the order, which is fetched ahead from each begin() of the
/// loader on, across batches and into the next epoch; one sampler at a time does so for a dataset and its copies.
///
///     EpochSampler sampler(dataset, {.seed = 7, .batch_size = 64}, cursor);
///     auto loader = torch::data::make_data_loader(dataset, sampler, DataLoaderOptions(64).workers(2));
///     for (auto& batch : *loader) {
///       Train(batch);
///       sampler.BatchConsumed();
///       if (IsTimeToSave()) Save(model, FormatCursor(sampler.cursor()));
///     }
///
/// A loader reads ahead, so only the loop knows what it has used: it says so. Keep DataLoaderOptions::enforce_ordering
/// at its default, since batches are consumed in their order. A handle: the loader's copy and the loop's share the
/// position. Each begin() of the loader begins where the run stands: see EpochProgress::BeginEpoch.
class EpochSampler : public torch::data::samplers::Sampler<std::vector<std::size_t>> {
 public:
  /// Throws StorageError as EpochProgress::Create fails.
  template <class Sample>
  EpochSampler(const BasicMapDataset<Sample>& dataset, const EpochOptions& options,
               const std::optional<Cursor>& cursor = {}, bool allow_changed_listing = false)
      : EpochSampler(dataset.handle_, options, cursor, allow_changed_listing) {}

  /// The loop has used its next batch. Throws StorageError where it has none.
  void BatchConsumed() { ValueOrThrow(progress_.BatchConsumed()); }
  /// Where the run stands, by what was consumed.
  [[nodiscard]] Cursor cursor() const { return progress_.cursor(); }

  /// For the DataLoader. Throws StorageError where its batch size is not EpochOptions::batch_size, or where it asks
  /// for another number of samples than the dataset has.
  void reset(torch::optional<std::size_t> new_size = torch::nullopt) override;
  torch::optional<std::vector<std::size_t>> next(std::size_t batch_size) override;
  /// Keeps the cursor as text, as libtorch's own samplers keep their position; load() throws as the constructor does.
  void save(torch::serialize::OutputArchive& archive) const override;
  void load(torch::serialize::InputArchive& archive) override;

 private:
  EpochSampler(internal::DatasetHandle dataset, const EpochOptions& options, const std::optional<Cursor>& cursor,
               bool allow_changed_listing);

  internal::DatasetHandle dataset_;
  EpochProgress progress_;
};

}  // namespace gcsflux
