#pragma once

#include <stop_token>
#include <vector>

#include "cli/copy_jobs.h"
#include "cli/transfer_monitor.h"
#include "cli/tree.h"
#include "gcsflux/client.h"

namespace gcsflux::cli {

/// What is below a root, in bytewise order of the names. Of a directory, what is left out and what cannot be read is
/// told to the monitor. Nothing there is an empty tree in a bucket, and kLocalIo in a file system.
Result<std::vector<TreeEntry>> ListTree(const Client& client, const Root& root, TransferMonitor& monitor,
                                        const std::stop_token& stop);

/// Fills in what is at the job's destination, of what its sources name at least; with `all`, everything there.
Result<void> LookAtDestination(const Client& client, CopyJob& job, bool all, TransferMonitor& monitor,
                               const std::stop_token& stop);

}  // namespace gcsflux::cli
