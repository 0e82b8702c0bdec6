#pragma once

#include <utility>

#include "gcsflux/shards.h"
#include "gcsflux/torch/iterable_dataset.h"

namespace gcsflux {

/// The samples of shards (gcsflux/shards.h) as a stream of batches:
///
///     torch::data::Example<> Decode(const gcsflux::ShardSample& sample) {
///       return {Image(ValueOrThrow(sample.Member("jpg"))), Label(ValueOrThrow(sample.Member("cls")))};
///     }
///     gcsflux::ShardDataset dataset(client, {"my-bucket", "train/{000000..000127}.tar"}, Decode, {.batch_size = 64});
///     for (auto& batch : dataset.Epoch()) Train(batch.samples);
///
/// Loop, cursor, report, errors and budget are those of BasicIterableDataset. If every shard has an index, so are order
/// and ranks: samples are shuffled as objects are, and each rank has its share of them. A sample is read alone, or with
/// those that follow it.
///
/// If a shard has no index, each rank reads its share of the shards from front to back, and at least one. Then under
/// kShuffled the shards are shuffled, and under kShuffled and kBuffered each sample is drawn from a buffer of
/// EpochOptions::shuffle_buffer samples, which are held in memory: lower it for large samples. kGiven is refused. Ranks
/// may have different numbers of batches. A cursor is for the same rank of as many; with kPad the last batch repeats
/// its own samples. A sample is used before its shard's CRC32C, which is compared at the shard's end.
template <class Sample>
class BasicShardDataset : public BasicIterableDataset<Sample> {
 public:
  /// `transform` is a callable `Sample(const ShardSample&)` or `Sample(const ShardSample&, const SampleContext&)`. It
  /// may throw any exception. The bytes of members are valid during the call only. Throws StorageError as
  /// BasicMapDataset::OfShards() does, but for shards without an index, and with the errors of epochs. A shard that is
  /// damaged ends its loop with kUndecodable or kCorrupted, one that was overwritten since it was listed with kAborted.
  template <class F>
  BasicShardDataset(const Client& client, const ObjectName& shards, F transform, const EpochOptions& epochs = {},
                    const DatasetOptions& options = {})
      : BasicIterableDataset<Sample>(internal::OpenShardEpochs(
            client, shards, internal::MakerOf(internal::OverShards<Sample>(std::move(transform))), epochs, options)) {}
};

/// Samples with a target.
using ShardDataset = BasicShardDataset<torch::data::Example<>>;

}  // namespace gcsflux
