#pragma once

#include <torch/data/datasets/stateful.h>
#include <torch/data/example.h>

#include <concepts>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gcsflux/dataset.h"
#include "gcsflux/epoch.h"
#include "gcsflux/listing.h"
#include "gcsflux/torch/dataset_handle.h"
#include "gcsflux/torch/map_dataset.h"
#include "gcsflux/torch/storage_error.h"

namespace gcsflux {

/// A batch of an IterableDataset.
template <class Sample>
struct Batch {
  /// Never empty. Fewer than requested at the end of an epoch, or if objects were skipped.
  std::vector<Sample> samples = {};
  /// The position of the run after this batch: save it with the model.
  Cursor cursor = {};
};

/// The rest of an epoch, for a loop over it. The loop may end early. Only one loop at a time may use a dataset and its
/// copies.
template <class Sample>
class EpochBatches {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Batch<Sample>;
    using difference_type = std::ptrdiff_t;
    using pointer = Batch<Sample>*;
    using reference = Batch<Sample>&;

    Iterator() = default;
    explicit Iterator(internal::EpochHandle epoch) : epoch_(std::move(epoch)) { ++*this; }

    Batch<Sample>& operator*() { return batch_; }
    Batch<Sample>* operator->() { return &batch_; }
    /// Throws StorageError if the batch fails.
    Iterator& operator++() {
      batch_ = {};  // Releases its memory before the next batch comes.
      if (const auto made = internal::NextBatch(*epoch_)) {
        batch_ = {internal::SamplesOf<Sample>(made), internal::PositionOf(*epoch_)};
      } else {
        epoch_.reset();
      }
      return *this;
    }
    /// True if both have ended, or none has.
    friend bool operator==(const Iterator& a, const Iterator& b) {
      return (a.epoch_ == nullptr) == (b.epoch_ == nullptr);
    }

   private:
    internal::EpochHandle epoch_ = {};  // Its own, so that it may outlive its EpochBatches.
    Batch<Sample> batch_ = {};
  };

  /// For the library.
  explicit EpochBatches(internal::EpochHandle epoch) : epoch_(std::move(epoch)) {}
  /// Waits for the first batch. Call it once.
  [[nodiscard]] Iterator begin() const { return Iterator(epoch_); }
  [[nodiscard]] Iterator end() const { return {}; }

 private:
  internal::EpochHandle epoch_;
};

/// The objects under a gs:// prefix, or of a list, as a stream of batches whose samples are of type `Sample`:
///
///     gcsflux::IterableDataset dataset(client, {"my-bucket", "train/"}, Decode, {.seed = 7, .batch_size = 64});
///     for (int epoch = 0; epoch < 3; ++epoch) {
///       for (auto& batch : dataset.Epoch()) {
///         Train(batch.samples);
///         Save(model, FormatCursor(batch.cursor));
///       }
///     }
///
/// Objects are fetched ahead across batches and into the next epoch, within ClientOptions::max_undelivered_bytes, and
/// decoded as they arrive. Under SampleOrder::kByName and kBuffered the first batch comes while the prefix is still
/// being listed.
///
/// A handle: copies share the fetched objects and the positions of the loops. For one loop at a time. Several threads
/// call the transform at the same time.
///
/// libtorch's DataLoader accepts it too: its workers share this rank's batches, and help to decode them. The loop over
/// the loader calls BatchConsumed() for each batch, as with an EpochSampler. With two workers or more, neighbouring
/// batches may change places: then consumed() is exact only at the end of an epoch. A loop over Epoch() is always
/// exact.
template <class Sample>
class BasicIterableDataset
    : public torch::data::datasets::StatefulDataset<BasicIterableDataset<Sample>, std::vector<Sample>> {
 public:
  /// As BasicMapDataset::Transform. The context is always of the loop's epoch.
  using Transform = internal::SampleTransform<Sample>;

  /// The objects of a prefix. Under SampleOrder::kShuffled the constructor lists it, otherwise the first Epoch() does.
  /// Throws StorageError with kInvalidArgument if an option is out of its range or an epoch has no batch for this rank,
  /// with kEmptyPrefix if there are no objects, and with the errors of listing. If Epoch() lists, its loop throws what
  /// depends on the listing.
  BasicIterableDataset(const Client& client, const ObjectName& prefix, Transform transform,
                       const EpochOptions& epochs = {}, const DatasetOptions& options = {})
      : handle_(internal::OpenEpochs(client, prefix, internal::MakerOf(std::move(transform)), epochs, options)) {}
  /// Without a transform: see BasicMapDataset.
  BasicIterableDataset(const Client& client, const ObjectName& prefix, const EpochOptions& epochs = {},
                       const DatasetOptions& options = {}) requires std::same_as<Sample, torch::data::TensorExample>
      : handle_(internal::OpenEpochs(client, prefix, internal::RawSamples(options.copy_out), epochs, options)) {}

  /// The objects of a saved listing, or of any list of objects of one bucket, in this order.
  static BasicIterableDataset OfListing(const Client& client, Listing listing, Transform transform,
                                        const EpochOptions& epochs = {}, const DatasetOptions& options = {}) {
    return BasicIterableDataset(
        internal::OpenEpochs(client, std::move(listing), internal::MakerOf(std::move(transform)), epochs, options));
  }
  /// Without a transform.
  static BasicIterableDataset OfListing(
      const Client& client, Listing listing, const EpochOptions& epochs = {},
      const DatasetOptions& options = {}) requires std::same_as<Sample, torch::data::TensorExample> {
    return BasicIterableDataset(
        internal::OpenEpochs(client, std::move(listing), internal::RawSamples(options.copy_out), epochs, options));
  }

  /// The samples of a MapDataset: of datasets that were joined, or of selected samples. They share what is fetched
  /// ahead, so use one of the two at a time. Throws StorageError as OfListing() does.
  static BasicIterableDataset OfDataset(const BasicMapDataset<Sample>& dataset, const EpochOptions& epochs = {}) {
    return BasicIterableDataset(internal::OpenEpochs(dataset.handle_, epochs));
  }

  /// The epoch that begins at the cursor, or the rest of it. Without a cursor it continues where the last loop ended:
  /// behind the last batch that it received, or at the next epoch. A batch that failed was not received. If nothing is
  /// left of the cursor's epoch for any rank, it is the next epoch; if something is left, but not for this rank, the
  /// loop is empty, and the next one is the next epoch.
  ///
  /// If the cursor is of another listing, seed or order, throws StorageError with kInvalidArgument, as CheckCursor()
  /// says. While the prefix is being listed, the loop's begin() throws it. If the cursor's run had not finished its
  /// listing, only the part that it had listed is compared. A cursor that is refused changes nothing. If a listing
  /// failed, the next Epoch() lists again. If the new listing has other objects up to the position, that loop is
  /// refused, and the next one begins the epoch again.
  [[nodiscard]] EpochBatches<Sample> Epoch(const std::optional<Cursor>& cursor = {},
                                           bool allow_changed_listing = false) const {
    internal::BeginEpoch(*handle_, cursor, allow_changed_listing);
    return EpochBatches<Sample>(handle_);
  }

  /// Behind the last batch that a loop received; after a loop's end, the beginning of the next epoch.
  [[nodiscard]] Cursor cursor() const { return internal::PositionOf(*handle_); }

  /// What the dataset and its copies have done so far. Cheap; may be called at any time, by any thread.
  [[nodiscard]] DatasetReport report(const OperationPrices& prices = {}) const {
    return internal::ReportOf(*handle_, prices);
  }

  /// The loop over a DataLoader has used its next batch. Throws StorageError if there is none.
  void BatchConsumed() const { internal::BatchConsumed(*handle_); }
  /// The position of a loop over a DataLoader: behind the last batch that was consumed. Each begin() of the loader
  /// begins there.
  [[nodiscard]] Cursor consumed() const { return internal::ConsumedPositionOf(*handle_); }

  /// For the DataLoader. get_batch() throws the exceptions of MapDataset's, and kInvalidArgument before the first
  /// reset(), and if the loader's batch size is not that of EpochOptions. save() saves consumed() as text.
  void reset() override { internal::BeginForLoader(*handle_); }
  torch::optional<std::vector<Sample>> get_batch(std::size_t batch_size) override {
    const auto made = internal::NextForLoader(*handle_, batch_size);
    if (!made) return torch::nullopt;
    return internal::SamplesOf<Sample>(made);
  }
  [[nodiscard]] torch::optional<std::size_t> size() const override { return torch::nullopt; }
  void save(torch::serialize::OutputArchive& archive) const override { internal::SaveCursor(archive, consumed()); }
  void load(torch::serialize::InputArchive& archive) override {
    internal::MoveTo(*handle_, internal::LoadCursor(archive));
  }

 protected:
  /// For datasets with another source of samples: BasicShardDataset.
  explicit BasicIterableDataset(internal::EpochHandle handle) : handle_(std::move(handle)) {}

 private:
  internal::EpochHandle handle_;
};

/// Samples with a target.
using IterableDataset = BasicIterableDataset<torch::data::Example<>>;
/// Samples without a target: the bytes of an object, or the result of a transform.
using TensorIterableDataset = BasicIterableDataset<torch::data::TensorExample>;

}  // namespace gcsflux
