#pragma once

#include "client/client_core.h"
#include "client/read_in_progress.h"
#include "gcsflux/client.h"

namespace gcsflux::internal {

/// Client::ReadObject for targets that can be rewound: if `target.rewind` is set and the bytes are corrupted, the
/// object is read once more.
Result<ReadSummary> ReadInto(const ClientCore& core, const ObjectName& object, const ReadObjectOptions& options,
                             const ReadTarget& target);

}  // namespace gcsflux::internal
