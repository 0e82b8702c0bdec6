#pragma once

#include <torch/data/datasets/base.h>
#include <torch/data/example.h>

#include <concepts>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gcsflux/client.h"
#include "gcsflux/dataset.h"
#include "gcsflux/epoch.h"
#include "gcsflux/listing.h"
#include "gcsflux/torch/dataset_handle.h"
#include "gcsflux/torch/storage_error.h"

namespace gcsflux {

template <class Sample>
class BasicIterableDataset;

using MapDatasetOptions = DatasetOptions;

/// The objects under a gs:// prefix as a map-style torch dataset with samples of type `Sample`:
/// `torch::data::make_data_loader(dataset.map(torch::data::transforms::Stack<>()), options)`.
///
/// The objects of a batch are fetched at the same time, and each is decoded as it arrives. Copies (the DataLoader makes
/// one per worker) share the client, the listing, the threads and what was fetched ahead. Thread-safe if the transform
/// is: workers and the threads of DatasetOptions::decode_threads call it at the same time.
///
/// Give the loader an EpochSampler: it tells the dataset the order in advance, so that objects are fetched ahead across
/// batches and epochs. With another sampler a batch is fetched when a worker requests it.
template <class Sample>
class BasicMapDataset : public torch::data::datasets::BatchDataset<BasicMapDataset<Sample>, std::vector<Sample>> {
 public:
  /// Any callable that makes a sample of an object's bytes, with one of these signatures:
  ///
  ///     Sample(const ListedObject& object, std::span<const std::byte> bytes)
  ///     Sample(const ListedObject& object, std::span<const std::byte> bytes, const SampleContext& context)
  ///
  /// The bytes are valid during the call only: the sample's tensors must own their memory. On bytes of another format
  /// it may throw any exception; see get_batch(). SampleContext (dataset.h) has a seed for random augmentation. A batch
  /// that no EpochSampler announced has the seed and the epoch of the last announced order. If none was announced in
  /// this process, its epoch and the order's seed count as 0: the sample's seed depends on its index only, and is the
  /// same in each epoch of another sampler.
  using Transform = internal::SampleTransform<Sample>;

  /// Lists the prefix (end it with "/" to mean a directory) by many calls at the same time. The listing fixes the
  /// names, generations and order (bytewise) of the dataset. Names that end with "/" are the empty objects that stand
  /// for directories; they are left out. An object takes about 90 bytes beyond its name. Throws StorageError with
  /// kEmptyPrefix if there are no objects, and with the errors of listing.
  BasicMapDataset(const Client& client, const ObjectName& prefix, Transform transform,
                  const DatasetOptions& options = {})
      : handle_(internal::OpenDataset(client, prefix, internal::MakerOf(std::move(transform)), options)) {}

  /// Without a transform a sample is a uint8 tensor of the object's bytes. It is a view of the downloaded memory, which
  /// lives as long as the tensor. With DatasetOptions::copy_out it is a copy.
  BasicMapDataset(const Client& client, const ObjectName& prefix,
                  const DatasetOptions& options = {}) requires std::same_as<Sample, torch::data::TensorExample>
      : handle_(internal::OpenDataset(client, prefix, internal::RawSamples(options.copy_out), options)) {}

  /// The objects of a saved listing (listing.h): the dataset is the same as that of its prefix.
  static BasicMapDataset OfListing(const Client& client, Listing listing, Transform transform,
                                   const DatasetOptions& options = {}) {
    return BasicMapDataset(
        internal::OpenDataset(client, std::move(listing), internal::MakerOf(std::move(transform)), options));
  }
  /// Without a transform.
  static BasicMapDataset OfListing(const Client& client, Listing listing, const DatasetOptions& options = {}) requires
      std::same_as<Sample, torch::data::TensorExample> {
    return BasicMapDataset(
        internal::OpenDataset(client, std::move(listing), internal::RawSamples(options.copy_out), options));
  }

  /// Objects of one bucket that were listed before: a part of a prefix, or another order. An empty list is a dataset of
  /// size 0.
  static BasicMapDataset OfObjects(const Client& client, std::string bucket, std::vector<ListedObject> objects,
                                   Transform transform, const DatasetOptions& options = {}) {
    return OfListing(client, {.prefix = {std::move(bucket), ""}, .objects = std::move(objects)}, std::move(transform),
                     options);
  }
  /// Without a transform.
  static BasicMapDataset OfObjects(
      const Client& client, std::string bucket, std::vector<ListedObject> objects,
      const DatasetOptions& options = {}) requires std::same_as<Sample, torch::data::TensorExample> {
    return OfListing(client, {.prefix = {std::move(bucket), ""}, .objects = std::move(objects)}, options);
  }

  /// The samples of shards, all of which have an index (gcsflux/shards.h): one read for each sample, or for several
  /// that follow each other. `transform` is a callable `Sample(const ShardSample&)` or `Sample(const ShardSample&,
  /// const SampleContext&)`. objects() has one entry for each sample, with the name SHARD/KEY. A sample takes 16 bytes
  /// more than an object would. Throws StorageError with kStale if a shard changed since its index was made, with
  /// kInvalidArgument if one has no index, and with the errors of reading and listing.
  template <class F>
  static BasicMapDataset OfShards(const Client& client, const ObjectName& shards, F transform,
                                  const DatasetOptions& options = {}) {
    return BasicMapDataset(internal::OpenShardSamples(
        client, shards, internal::MakerOf(internal::OverShards<Sample>(std::move(transform))), options));
  }

  /// The samples of several datasets, one dataset after the other, each with its own transform: several prefixes or
  /// buckets, objects and shards. MixedOrder() mixes them. Client and options are those of the first. Throws
  /// StorageError with kInvalidArgument if there is no dataset, one is given twice, or they have different clients.
  static BasicMapDataset Joined(const std::vector<BasicMapDataset>& datasets) {
    std::vector<internal::DatasetHandle> handles;
    for (const BasicMapDataset& dataset : datasets) handles.push_back(dataset.handle_);
    return BasicMapDataset(internal::JoinDatasets(handles));
  }
  /// The number of samples of each dataset that was joined, in their order; of another dataset, its own.
  [[nodiscard]] std::vector<std::size_t> parts() const { return internal::PartsOf(*handle_); }

  /// Some of the samples as a dataset with the same transform, client and options. Its samples are numbered from 0. A
  /// cursor of it is for the same samples. Throws StorageError with the errors of SelectObjects().
  [[nodiscard]] BasicMapDataset Select(const Selection& selection) const {
    return BasicMapDataset(internal::SelectSamples(*handle_, selection));
  }
  /// The samples at these indices, in this order. Throws StorageError with kInvalidArgument if one is past the end.
  [[nodiscard]] BasicMapDataset Select(std::span<const std::size_t> indices) const {
    return BasicMapDataset(internal::SelectSamples(*handle_, indices));
  }

  /// The samples of `indices`, in their order. If DatasetOptions::max_skipped allows it, there may be fewer than
  /// requested, but at least one.
  ///
  /// Throws StorageError with kNotFound and the object's name if an object was deleted or overwritten since it was
  /// listed, and with kInvalidArgument for an index past the end. A transform's StorageError is passed on. Any other
  /// exception becomes kUndecodable, with the object's name before its text; the original is nested
  /// (std::rethrow_if_nested).
  std::vector<Sample> get_batch(torch::ArrayRef<std::size_t> indices) override {
    return internal::SamplesOf<Sample>(internal::FetchBatch(*handle_, std::span(indices.data(), indices.size())));
  }

  [[nodiscard]] torch::optional<std::size_t> size() const override { return objects().size(); }

  /// The object of index i is `objects()[i]`.
  [[nodiscard]] const std::vector<ListedObject>& objects() const { return internal::ObjectsOf(*handle_); }

  /// Distinguishes this listing from others, for a Cursor. For OfObjects() the prefix is empty.
  [[nodiscard]] const ListingFingerprint& fingerprint() const { return internal::FingerprintOf(*handle_); }

  /// What the dataset and its copies have done so far. Cheap; may be called at any time, by any thread.
  [[nodiscard]] DatasetReport report(const OperationPrices& prices = {}) const {
    return internal::ReportOf(*handle_, prices);
  }

 private:
  friend class EpochSampler;
  friend class BasicIterableDataset<Sample>;
  explicit BasicMapDataset(internal::DatasetHandle handle) : handle_(std::move(handle)) {}
  internal::DatasetHandle handle_;
};

/// Samples with a target.
using MapDataset = BasicMapDataset<torch::data::Example<>>;
/// Samples without a target: the bytes of an object, or the result of a transform.
using TensorMapDataset = BasicMapDataset<torch::data::TensorExample>;

}  // namespace gcsflux
