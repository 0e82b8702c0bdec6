#pragma once

#include "gcsflux/epoch.h"

namespace gcsflux::internal {

/// kInvalidArgument, with what differs, where the cursor is not of a run with this order.
Result<void> CheckCursorOrder(const Cursor& cursor, const EpochOptions& options);

}  // namespace gcsflux::internal
