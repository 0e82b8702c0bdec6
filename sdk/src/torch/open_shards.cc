#include <algorithm>
#include <memory>
#include <utility>

#include "base/object_name.h"
#include "dataset/epoch_plan.h"
#include "gcsflux/torch/dataset_handle.h"
#include "shards/find_shards.h"
#include "torch/make_core.h"

namespace gcsflux::internal {
namespace {

std::vector<FoundShard> FindOrThrow(const Client& client, const ObjectName& shards, const DatasetOptions& options) {
  return ValueOrThrow(FindShards(client, shards, options.listing));
}

DatasetHandle OpenIndexed(const Client& client, const ObjectName& shards, const std::vector<FoundShard>& found,
                          SampleMaker maker, const DatasetOptions& options) {
  const auto indexes = ValueOrThrow(LoadIndexes(client, shards.bucket, found, options.download));
  auto indexed = ValueOrThrow(SamplesOf(shards.bucket, found, indexes));
  const auto places = std::make_shared<const SamplePlaces>(std::move(indexed.places));
  return MakeCore(client,
                  {.prefix = shards,
                   .objects = std::move(indexed.samples),
                   .source_of = [places](std::size_t sample,
                                         const ListedObject& listed) { return places->SourceOf(sample, listed); }},
                  std::move(maker), options);
}

const FoundShard* WithoutIndex(const std::vector<FoundShard>& found) {
  const auto without = std::ranges::find_if(found, [](const FoundShard& shard) { return !shard.index; });
  return without == found.end() ? nullptr : &*without;
}

}  // namespace

DatasetHandle OpenShardSamples(const Client& client, const ObjectName& shards, SampleMaker maker,
                               const DatasetOptions& options) {
  const auto found = FindOrThrow(client, shards, options);
  if (const FoundShard* without = WithoutIndex(found)) {
    throw StorageError({ErrorCode::kInvalidArgument, ToUri({shards.bucket, without->shard.name}) +
                                                         ": the shard has no index, which a MapDataset needs; run "
                                                         "`gcsflux shards index " +
                                                         ToUri(shards) + "`"});
  }
  return OpenIndexed(client, shards, found, std::move(maker), options);
}

DatasetHandle MakeShardCore(const Client& client, const ObjectName& shards, SampleMaker maker,
                            const DatasetOptions& options) {
  const auto found = FindOrThrow(client, shards, options);
  if (WithoutIndex(found) == nullptr) return OpenIndexed(client, shards, found, std::move(maker), options);
  std::vector<ListedObject> listed;
  for (const FoundShard& shard : found) listed.push_back(shard.shard);
  return MakeCore(
      client,
      DatasetCore::Settings{.prefix = shards,
                            .scanned = std::make_shared<const std::vector<ListedObject>>(std::move(listed))},
      std::move(maker), options);
}

}  // namespace gcsflux::internal
