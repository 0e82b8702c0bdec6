#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "formats/distributed/distributed_metadata.h"
#include "formats/torch_file.h"

namespace gcsflux::internal {

/// Opens items of a distributed checkpoint, each of which is a file of torch.save within a file. Reads both ends of
/// many with one ReadAll() of their file. `visit` gets the item's index, and the opened item, whose places count from
/// the item's begin.
using VisitArchive = std::function<Result<void>(std::size_t index, const TorchFile& archive)>;
Result<void> OpenArchives(std::span<const ByteSource> files, std::span<const DistributedItem> items,
                          const VisitArchive& visit);

}  // namespace gcsflux::internal
