#pragma once

#include <torch/types.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "gcsflux/client.h"
#include "gcsflux/dataset.h"
#include "gcsflux/epoch.h"
#include "gcsflux/events.h"
#include "gcsflux/listing.h"
#include "gcsflux/shards.h"
#include "gcsflux/torch/storage_error.h"

namespace gcsflux::internal {

/// The memory that a sample takes: see DatasetOptions::max_decoded_bytes.
template <class Sample>
std::uint64_t BytesOfSample(const Sample& sample) {
  if constexpr (requires {
                  { SampleBytes(sample) } -> std::convertible_to<std::uint64_t>;
                }) {
    return SampleBytes(sample);
  } else if constexpr (std::is_base_of_v<at::Tensor, Sample>) {
    // A view keeps the memory of the whole.
    return sizeof(sample) + (sample.defined() && sample.has_storage() ? sample.storage().nbytes() : 0);
  } else if constexpr (requires {
                         typename Sample::DataType;
                         typename Sample::TargetType;
                       }) {  // torch::data::Example
    if constexpr (!std::is_void_v<typename Sample::TargetType>) {
      return BytesOfSample(sample.data) + BytesOfSample(sample.target);
    } else {
      return BytesOfSample(sample.data);
    }
  } else if constexpr (requires {
                         sample.first;
                         sample.second;
                       }) {
    return BytesOfSample(sample.first) + BytesOfSample(sample.second);
  } else if constexpr (std::ranges::sized_range<const Sample>) {
    using Element = std::remove_cvref_t<std::ranges::range_reference_t<const Sample>>;
    // A range of itself would have no end.
    if constexpr (std::is_arithmetic_v<Element> || std::same_as<Element, Sample>) {
      return sizeof(sample) + std::ranges::size(sample) * sizeof(Element);
    } else {
      std::uint64_t bytes = sizeof(sample);
      for (const auto& element : sample) bytes += BytesOfSample(element);
      return bytes;
    }
  } else {
    return sizeof(sample);
  }
}

// The parts of the datasets' templates that do not depend on the type of samples. Programs do not use it.

class DatasetCore;

/// How samples are made: `make` makes room for the samples of a batch. `decode` makes one sample in its place, and
/// returns the bytes that it takes. They may throw any exception.
struct SampleMaker {
  std::function<std::shared_ptr<void>(std::size_t samples)> make;
  std::function<std::uint64_t(void* batch, std::size_t place, const ListedObject& object, DownloadedObject& downloaded,
                              const SampleContext& context)>
      decode;
  bool is_instant = false;  ///< True without a transform.
};

/// Samples of one type. A place is empty if its object was skipped.
template <class Sample>
using Places = std::vector<std::optional<Sample>>;

/// A transform, with the context or without.
template <class Sample>
class SampleTransform {
  using Plain = std::function<Sample(const ListedObject& object, std::span<const std::byte> bytes)>;
  using WithContext =
      std::function<Sample(const ListedObject& object, std::span<const std::byte> bytes, const SampleContext& context)>;
  template <class F>
  static constexpr bool kTakesContext =
      std::is_invocable_r_v<Sample, F&, const ListedObject&, std::span<const std::byte>, const SampleContext&>;

 public:
  /// A callable of both kinds gets the context.
  template <class F>
  requires(!std::same_as<std::remove_cvref_t<F>, SampleTransform> &&
           (kTakesContext<F> || std::is_invocable_r_v<Sample, F&, const ListedObject&, std::span<const std::byte>>))
      SampleTransform(F&& transform) {  // NOLINT(google-explicit-constructor): lambdas and functions are transforms.
    if constexpr (kTakesContext<F>) {
      transform_ = WithContext(std::forward<F>(transform));
    } else if (Plain plain(std::forward<F>(transform)); plain) {
      transform_ = [plain = std::move(plain)](const ListedObject& object, std::span<const std::byte> bytes,
                                              const SampleContext&) { return plain(object, bytes); };
    }
  }
  /// It is empty, and refused.
  SampleTransform(std::nullptr_t) {}  // NOLINT(google-explicit-constructor)

  explicit operator bool() const { return transform_ != nullptr; }
  Sample operator()(const ListedObject& object, std::span<const std::byte> bytes, const SampleContext& context) const {
    return transform_(object, bytes, context);
  }

 private:
  WithContext transform_ = {};
};

template <class Sample>
SampleMaker MakerOf(SampleTransform<Sample> transform) {
  if (!transform) throw StorageError({ErrorCode::kInvalidArgument, "a dataset needs a transform: this one is empty"});
  return {.make = [](std::size_t samples) { return std::make_shared<Places<Sample>>(samples); },
          .decode =
              [transform = std::move(transform)](void* batch, std::size_t place, const ListedObject& object,
                                                 DownloadedObject& downloaded, const SampleContext& context) {
                auto& sample = (*static_cast<Places<Sample>*>(batch))[place];
                sample = transform(object, downloaded.bytes, context);
                return BytesOfSample(*sample);
              }};
}

/// A transform of samples of shards, as one of their bytes.
template <class Sample, class F>
SampleTransform<Sample> OverShards(F transform) {
  return [transform = std::move(transform)](const ListedObject& object, std::span<const std::byte> bytes,
                                            const SampleContext& context) -> Sample {
    const ShardSample sample = ValueOrThrow(SampleIn(object, bytes));
    if constexpr (std::is_invocable_r_v<Sample, const F&, const ShardSample&, const SampleContext&>) {
      return transform(sample, context);
    } else {
      return transform(sample);
    }
  };
}

// What the copies of a dataset share.

using DatasetHandle = std::shared_ptr<const DatasetCore>;

/// Lists the prefix. Throws StorageError with kEmptyPrefix if there are no objects, and with the errors of listing.
DatasetHandle OpenDataset(const Client& client, const ObjectName& prefix, SampleMaker maker,
                          const DatasetOptions& options);
DatasetHandle OpenDataset(const Client& client, Listing listing, SampleMaker maker, const DatasetOptions& options);

/// The samples of indexed shards. Throws StorageError with kStale, kCorrupted and kUndecodable for indexes that cannot
/// be used, with kInvalidArgument if a shard has none, and with the errors of listing.
DatasetHandle OpenShardSamples(const Client& client, const ObjectName& shards, SampleMaker maker,
                               const DatasetOptions& options);

/// The samples of all of them. Throws StorageError with kInvalidArgument if there is none, one is given twice, or they
/// have different clients.
DatasetHandle JoinDatasets(const std::vector<DatasetHandle>& datasets);
/// The samples at these indices, or the selected ones. Throws StorageError with kInvalidArgument.
DatasetHandle SelectSamples(const DatasetCore& dataset, std::span<const std::size_t> indices);
DatasetHandle SelectSamples(const DatasetCore& dataset, const Selection& selection);
std::vector<std::size_t> PartsOf(const DatasetCore& dataset);

const std::vector<ListedObject>& ObjectsOf(const DatasetCore& dataset);
const ListingFingerprint& FingerprintOf(const DatasetCore& dataset);
DatasetReport ReportOf(const DatasetCore& dataset, const OperationPrices& prices);

/// The Places of these objects' samples. Throws the exceptions of MapDataset::get_batch.
std::shared_ptr<void> FetchBatch(const DatasetCore& dataset, std::span<const std::size_t> samples);
/// Announces that batches will be requested in this order. Throws StorageError if nothing can be fetched.
void AnnounceOrder(const DatasetCore& dataset, const EpochOptions& order, const Cursor& start);

// What the copies of an IterableDataset share: a dataset, and the positions of its loops. Thread-safe.

struct EpochLoops;
using EpochHandle = std::shared_ptr<EpochLoops>;

/// Under SampleOrder::kShuffled lists the prefix at once, otherwise while it is read. Throws StorageError if an option
/// is out of its range, and the errors of listing.
EpochHandle OpenEpochs(const Client& client, const ObjectName& prefix, SampleMaker maker, const EpochOptions& epochs,
                       const DatasetOptions& options);
EpochHandle OpenEpochs(const Client& client, Listing listing, SampleMaker maker, const EpochOptions& epochs,
                       const DatasetOptions& options);
/// The samples of a dataset.
EpochHandle OpenEpochs(DatasetHandle dataset, const EpochOptions& epochs);
/// The samples of shards: of all indexes, if every shard has one.
EpochHandle OpenShardEpochs(const Client& client, const ObjectName& shards, SampleMaker maker,
                            const EpochOptions& epochs, const DatasetOptions& options);
DatasetReport ReportOf(const EpochLoops& loops, const OperationPrices& prices);

/// Throws the exceptions of IterableDataset::Epoch.
void BeginEpoch(EpochLoops& loops, const std::optional<Cursor>& cursor, bool allow_changed_listing);
/// The Places of the next batch of the current epoch. Null at its end. Throws the exceptions of MapDataset::get_batch.
std::shared_ptr<void> NextBatch(EpochLoops& loops);
/// The position behind the last batch that NextBatch() gave.
Cursor PositionOf(EpochLoops& loops);

/// For a DataLoader: the batches are handed out, and consumed in the same order.
void BeginForLoader(EpochLoops& loops);
std::shared_ptr<void> NextForLoader(EpochLoops& loops, std::size_t batch_size);
void BatchConsumed(EpochLoops& loops);
Cursor ConsumedPositionOf(EpochLoops& loops);
void MoveTo(EpochLoops& loops, const Cursor& cursor);

/// The samples of a batch, without the places that were skipped.
template <class Sample>
std::vector<Sample> SamplesOf(const std::shared_ptr<void>& batch) {
  std::vector<Sample> samples;
  auto& places = *static_cast<Places<Sample>*>(batch.get());
  samples.reserve(places.size());
  for (auto& place : places) {
    if (place) samples.push_back(*std::move(place));
  }
  return samples;
}

/// Makes samples without a transform, of type torch::data::TensorExample: uint8 tensors that are views of their
/// objects' memory, or copies of it.
SampleMaker RawSamples(bool copy_out);

}  // namespace gcsflux::internal

namespace torch::serialize {
class OutputArchive;
class InputArchive;
}  // namespace torch::serialize

namespace gcsflux::internal {

/// Saves a cursor in libtorch's archive, as text.
void SaveCursor(torch::serialize::OutputArchive& archive, const Cursor& cursor);
/// Throws StorageError with the errors of ParseCursor().
Cursor LoadCursor(torch::serialize::InputArchive& archive);

}  // namespace gcsflux::internal
