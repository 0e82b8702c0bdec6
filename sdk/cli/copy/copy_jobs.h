#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/arguments/tree.h"
#include "cli/copy/copy_run.h"

namespace gcsflux::cli {

/// A tree, or a part of one, and its destination. An entry with an empty name is the root itself: one file or object,
/// whose copy has another name.
struct CopyJob {
  Root from = {};
  Root to = {};
  std::vector<TreeEntry> sources = {};     ///< In bytewise order of their names.
  std::vector<TreeEntry> present = {};     ///< Present at the destination, in the same order.
  std::vector<std::string> left_out = {};  ///< As CopyPlanOptions::left_out.
};

/// What --dry_run prints of one copy: "copy a to gs://b/a", or the same as JSON.
void PrintCopy(const std::string& action, const std::string& from, const std::string& to);

/// Where two sources would go to the same place. Nothing if there is none.
std::optional<std::string> FindSharedDestination(const std::vector<CopyJob>& jobs);

/// Carries out the jobs, as the run's plan says but for what a job says. Failures are reported to the monitor, and the
/// rest continues, unless the service cannot be reached at all. If anything has failed, nothing is deleted.
void RunCopyJobs(const Client& client, const std::vector<CopyJob>& jobs, const CopyRun& run, TransferMonitor& monitor);

}  // namespace gcsflux::cli
