#pragma once

#include <vector>

#include "dataset/dataset_core.h"
#include "gcsflux/torch/dataset_handle.h"

// Connects the datasets, which throw, with the core, which does not.
namespace gcsflux::internal {

/// All objects under the prefix, except those for directories. Throws StorageError: kEmptyPrefix if there are none, and
/// the errors of listing.
std::vector<ListedObject> ListOrThrow(const Client& client, const ObjectName& prefix, const DatasetOptions& options);

DatasetHandle MakeCore(const Client& client, const ObjectName& prefix, std::vector<ListedObject> objects,
                       SampleMaker maker, const DatasetOptions& options);
DatasetHandle MakeCore(const Client& client, DatasetCore::Settings settings, SampleMaker maker,
                       const DatasetOptions& options);
/// For a prefix that is listed while it is read.
DatasetHandle MakeLiveCore(const Client& client, const ObjectName& prefix, SampleMaker maker,
                           const DatasetOptions& options);

/// A dataset of shards. Throws the errors of OpenShardSamples() and OpenShardEpochs().
DatasetHandle MakeShardCore(const Client& client, const ObjectName& shards, SampleMaker maker,
                            const DatasetOptions& options);

/// The batch. If its samples were not made, throws the reason.
FinishedBatch MadeOrThrow(FinishedBatch batch, const ObjectName& prefix);

}  // namespace gcsflux::internal
