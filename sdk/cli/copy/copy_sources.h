#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "cli/arguments/filter.h"
#include "cli/arguments/tree.h"
#include "cli/copy/copy_jobs.h"
#include "cli/terminal/transfer_monitor.h"
#include "gcsflux/client.h"

namespace gcsflux::cli {

/// The entries below a root. For a directory, entries that are left out or cannot be read are reported to the monitor.
/// If there is nothing, a bucket gives an empty tree, and a file system gives kLocalIo.
Result<ListedTree> ListTree(const Client& client, const Root& root, TransferMonitor& monitor,
                            const std::stop_token& stop);

/// Moves entries that the filter does not take to those that are left out.
void FilterTree(const Filter& filter, ListedTree& tree);

/// Fills in what is at the job's destination: at least what its sources name, and with `all` everything.
Result<void> LookAtDestination(const Client& client, CopyJob& job, bool all, TransferMonitor& monitor,
                               const std::stop_token& stop);

}  // namespace gcsflux::cli
