#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gcsflux/client.h"
#include "gcsflux/download.h"
#include "gcsflux/listing.h"
#include "shards/shard_index.h"

namespace gcsflux::internal {

/// A shard, and its index if there is one.
struct FoundShard {
  ListedObject shard = {};
  std::optional<ListedObject> index = {};
  std::optional<std::uint64_t> samples = {};  ///< As a list of wids says.
};

/// The shards that `shards` names (gcsflux/shards.h), in its order; under a prefix, by name. Returns kEmptyPrefix if
/// there are none under a prefix, kNotFound with the name if one of braces or of a list is missing, kInvalidArgument
/// for braces or lists that are senseless, and the errors of listing.
Result<std::vector<FoundShard>> FindShards(const Client& client, const ObjectName& shards,
                                           const ParallelListOptions& options);

/// Reads the indexes of the shards, all of which have one. Returns kStale if one is of another generation than its
/// shard, and kCorrupted if it is damaged.
Result<std::vector<ShardIndex>> LoadIndexes(const Client& client, const std::string& bucket,
                                            const std::vector<FoundShard>& shards, const DownloaderOptions& options);

/// Where samples are.
struct SamplePlaces {
  /// `listed` is the entry of the sample in IndexedSamples.
  [[nodiscard]] DownloadSource SourceOf(std::size_t sample, const ListedObject& listed) const;

  std::string bucket = {};
  std::vector<std::string> shards = {};  ///< Names.
  struct Place {
    std::uint64_t offset = 0;
    std::size_t shard = 0;
  };
  std::vector<Place> places = {};  ///< One for each sample.
};

/// The samples of shards, as a listing: the sample's name is its shard's, with "/" and its key. Each has the size, the
/// CRC32C and the generation of its part.
struct IndexedSamples {
  std::vector<ListedObject> samples = {};
  SamplePlaces places = {};
};

/// Returns kUndecodable if neighbouring shards share a sample, and kStale if a list gives another number of samples
/// than the shard has.
Result<IndexedSamples> SamplesOf(const std::string& bucket, const std::vector<FoundShard>& shards,
                                 const std::vector<ShardIndex>& indexes);

}  // namespace gcsflux::internal
