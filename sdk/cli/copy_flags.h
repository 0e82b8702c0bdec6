#pragma once

#include "cli/copy_jobs.h"

namespace gcsflux::cli {

/// What the flags of cp and sync say. kInvalidArgument where a value is none.
Result<CopyRun> CopyRunFromFlags();

}  // namespace gcsflux::cli
