#pragma once

#include <torch/data/datasets/stateful.h>
#include <torch/data/example.h>

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gcsflux/dataset_options.h"
#include "gcsflux/epoch.h"
#include "gcsflux/saved_listing.h"
#include "gcsflux/torch/dataset_handle.h"
#include "gcsflux/torch/raw_sample.h"
#include "gcsflux/torch/saved_cursor.h"
#include "gcsflux/torch/storage_error.h"

namespace gcsflux {

/// A batch of an IterableDataset.
template <class Sample>
struct Batch {
  std::vector<Sample> samples = {};  ///< Fewer than asked where the tail is, or where objects were skipped; never none.
  /// Where the run stands once this batch is used: save it with the model.
  Cursor cursor = {};
};

/// What is left of an epoch, for a loop over it. Leaving the loop early is harmless. One loop at a time over a dataset
/// and its copies.
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
    explicit Iterator(const internal::EpochHandle* epoch) : epoch_(epoch) { ++*this; }

    Batch<Sample>& operator*() { return batch_; }
    Batch<Sample>* operator->() { return &batch_; }
    /// Throws StorageError where the batch fails.
    Iterator& operator++() {
      batch_ = {};  // Its memory goes before the next one's comes.
      if (auto made = epoch_->Next()) {
        batch_ = {internal::SamplesOf<Sample>(*made), std::move(made->cursor)};
      } else {
        epoch_ = nullptr;
      }
      return *this;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.epoch_ == b.epoch_; }

   private:
    const internal::EpochHandle* epoch_ = nullptr;
    Batch<Sample> batch_ = {};
  };

  explicit EpochBatches(internal::EpochHandle epoch) : epoch_(std::move(epoch)) {}
  /// Waits for the first batch. Once.
  [[nodiscard]] Iterator begin() const { return Iterator(&epoch_); }
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
/// Objects are fetched ahead across batches and into the next epoch, as far as ClientOptions::max_undelivered_bytes
/// goes, and decoded as they arrive. Under SampleOrder::kByName and kBuffered the first batch comes while the prefix is
/// still being listed.
///
/// A handle: copies share what was fetched, and where the loops stand. For one loop at a time; the transform is called
/// by several threads at the same time.
///
/// libtorch's DataLoader takes it too: its workers share this rank's batches, and help to decode them. The loop over
/// the loader calls BatchConsumed() for each batch, as with an EpochSampler. With two workers or more, neighbouring
/// batches may change places, so consumed() is exact with one worker at most; a loop over Epoch() is exact always.
template <class Sample>
class BasicIterableDataset
    : public torch::data::datasets::StatefulDataset<BasicIterableDataset<Sample>, std::vector<Sample>> {
 public:
  /// As BasicMapDataset::Transform.
  using Transform = std::function<Sample(const ListedObject& object, std::span<const std::byte> bytes)>;

  /// Of a prefix. Under SampleOrder::kShuffled it is listed here, else by the first Epoch(). Throws StorageError:
  /// kInvalidArgument where an option is out of its range, kEmptyPrefix where nothing is there (Epoch()'s loop does so
  /// where it lists), and as listing fails.
  BasicIterableDataset(const Client& client, const ObjectName& prefix, Transform transform,
                       const EpochOptions& epochs = {}, const DatasetOptions& options = {})
      : handle_(internal::EpochHandle::OfPrefix(client, prefix, internal::MakerOf<Sample>(std::move(transform)), epochs,
                                                options)) {}
  /// Without a transform, as BasicMapDataset.
  BasicIterableDataset(const Client& client, const ObjectName& prefix, const EpochOptions& epochs = {},
                       const DatasetOptions& options = {}) requires std::same_as<Sample, torch::data::TensorExample>
      : handle_(internal::EpochHandle::OfPrefix(client, prefix, internal::RawSamples(options.copy_out), epochs,
                                                options)) {}

  /// Of a saved listing, or of any list of objects of one bucket, in this order.
  static BasicIterableDataset OfListing(const Client& client, ListingSnapshot listing, Transform transform,
                                        const EpochOptions& epochs = {}, const DatasetOptions& options = {}) {
    return BasicIterableDataset(internal::EpochHandle::OfListing(
        client, std::move(listing), internal::MakerOf<Sample>(std::move(transform)), epochs, options));
  }
  static BasicIterableDataset OfListing(
      const Client& client, ListingSnapshot listing, const EpochOptions& epochs = {},
      const DatasetOptions& options = {}) requires std::same_as<Sample, torch::data::TensorExample> {
    return BasicIterableDataset(internal::EpochHandle::OfListing(
        client, std::move(listing), internal::RawSamples(options.copy_out), epochs, options));
  }

  /// The epoch that begins at the cursor, or what is left of it; without a cursor, where the last loop stands: at the
  /// beginning, behind the last batch that it was given, or at the next epoch. A cursor of another listing, seed or
  /// order throws StorageError (kInvalidArgument), as CheckCursor() says; while the prefix is being listed, the loop's
  /// begin() throws it. The cursor of a run whose listing was going on is compared with as much as that run had listed.
  [[nodiscard]] EpochBatches<Sample> Epoch(const std::optional<Cursor>& cursor = {},
                                           bool allow_changed_listing = false) const {
    handle_.Begin(cursor, allow_changed_listing);
    return EpochBatches<Sample>(handle_);
  }

  /// Behind the last batch that a loop was given; after a loop's end, the beginning of the next epoch.
  [[nodiscard]] Cursor cursor() const { return handle_.cursor(); }

  /// What the dataset and its copies have done so far. Cheap; at any time, from any thread.
  [[nodiscard]] DatasetReport report(const OperationPrices& prices = {}) const { return handle_.report(prices); }

  /// The loop over a DataLoader has used its next batch. Throws StorageError where it has none.
  void BatchConsumed() const { handle_.BatchConsumed(); }
  /// Where a loop over a DataLoader stands, by what was consumed. Each begin() of the loader begins there.
  [[nodiscard]] Cursor consumed() const { return handle_.consumed(); }

  /// For the DataLoader. get_batch() throws as MapDataset's, and where the loader's batch size is not that of
  /// EpochOptions. save() keeps consumed() as text.
  void reset() override { handle_.BeginForLoader(); }
  torch::optional<std::vector<Sample>> get_batch(std::size_t batch_size) override {
    const auto made = handle_.NextForLoader(batch_size);
    if (!made) return torch::nullopt;
    return internal::SamplesOf<Sample>(*made);
  }
  [[nodiscard]] torch::optional<std::size_t> size() const override { return torch::nullopt; }
  void save(torch::serialize::OutputArchive& archive) const override {
    internal::SaveCursor(archive, handle_.consumed());
  }
  void load(torch::serialize::InputArchive& archive) override { handle_.MoveTo(internal::LoadCursor(archive)); }

 private:
  explicit BasicIterableDataset(internal::EpochHandle handle) : handle_(std::move(handle)) {}
  internal::EpochHandle handle_;
};

/// Samples with a target.
using IterableDataset = BasicIterableDataset<torch::data::Example<>>;
/// Samples without one: the bytes of an object, or what a transform makes of them.
using TensorIterableDataset = BasicIterableDataset<torch::data::TensorExample>;

}  // namespace gcsflux
