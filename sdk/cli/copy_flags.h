#pragma once

#include "cli/copy_jobs.h"

namespace gcsflux::cli {

/// What the flags of cp and sync say. kInvalidArgument where a value is none.
Result<CopyRun> CopyRunFromFlags();

/// How a run over trees is summed up.
TransferMonitor::Summary SummaryOf(const CopyRun& run);

/// What cp and sync alike are asked in vain.
Error NoUriAmong(const std::string& source, const std::string& destination);
Error NothingThere(const std::string& uri);

}  // namespace gcsflux::cli
