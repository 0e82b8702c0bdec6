#pragma once

#include "client/client_core.h"
#include "client/read_in_progress.h"
#include "gcsflux/client.h"

namespace gcsflux::internal {

/// Client::ReadObject, for whoever can take back what was read: where the target has a rewind, what came corrupted is
/// read once more.
Result<ReadSummary> ReadInto(const ClientCore& core, const ObjectName& object, const ReadObjectOptions& options,
                             const ReadTarget& target);

}  // namespace gcsflux::internal
