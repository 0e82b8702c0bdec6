#pragma once

#include "cli/copy/copy_jobs.h"

namespace gcsflux::cli {

/// The values of the flags of cp and sync. Returns kInvalidArgument if one is invalid.
Result<CopyRun> CopyRunFromFlags();

/// The kind of summary of a run.
TransferMonitor::Summary SummaryOf(const CopyRun& run);

/// Errors that cp and sync share.
Error NoUriAmong(const std::string& source, const std::string& destination);
Error NothingThere(const std::string& uri);

}  // namespace gcsflux::cli
