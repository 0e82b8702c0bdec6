#pragma once

#include <vector>

#include "dataset/dataset_core.h"
#include "gcsflux/torch/dataset_handle.h"

// Between the datasets that throw, and the core that does not.
namespace gcsflux::internal {

/// Everything under the prefix but what stands for directories. Throws StorageError: kEmptyPrefix where nothing is
/// there, else as listing fails.
std::vector<ListedObject> ListOrThrow(const Client& client, const ObjectName& prefix, const DatasetOptions& options);

DatasetHandle::Core MakeCore(const Client& client, const ObjectName& prefix, std::vector<ListedObject> objects,
                             SampleMaker maker, const DatasetOptions& options);
/// Of a prefix that is listed while it is read.
DatasetHandle::Core MakeLiveCore(const Client& client, const ObjectName& prefix, SampleMaker maker,
                                 const DatasetOptions& options);

/// Throws why there is no batch, where there is none.
MadeBatch MadeOrThrow(FinishedBatch batch, const ObjectName& prefix);

}  // namespace gcsflux::internal
