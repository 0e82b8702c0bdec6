#pragma once

#include "gcsflux/epoch.h"

namespace gcsflux::internal {

/// Returns kInvalidArgument with the difference if the cursor is of a run with another order.
Result<void> CheckCursorOrder(const Cursor& cursor, const EpochOptions& options);

}  // namespace gcsflux::internal
