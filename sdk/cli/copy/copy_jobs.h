#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "cli/arguments/tree.h"
#include "cli/copy/copy_plan.h"
#include "cli/copy/route.h"
#include "cli/terminal/transfer_monitor.h"
#include "gcsflux/object_reader.h"

namespace gcsflux::cli {

/// A tree, or a part of one, and its destination.
struct CopyJob {
  Root from = {};
  Root to = {};
  std::vector<TreeEntry> sources = {};     ///< In bytewise order of their names.
  std::vector<TreeEntry> present = {};     ///< Present at the destination, in the same order.
  std::vector<std::string> left_out = {};  ///< As CopyPlanOptions::left_out.
};

/// Where two sources would go to the same place. Nothing if there is none.
std::optional<std::string> FindSharedDestination(const std::vector<CopyJob>& jobs);

struct CopyRun {
  int max_concurrency = 16;  ///< Requests at a time.
  RouteOptions route = {};
  ObjectReaderOptions stream_reading = {};  ///< How what goes into a pipe is fetched.
  CopyPlanOptions plan = {};                ///< But for what the job says.
  bool is_dry = false;                      ///< Says on standard output what it would do.
  std::stop_token stop = {};
};

/// Carries out the jobs. Failures are reported to the monitor, and the rest continues, unless the service cannot be
/// reached at all. If anything has failed, nothing is deleted.
void RunCopyJobs(const Client& client, const std::vector<CopyJob>& jobs, const CopyRun& run, TransferMonitor& monitor);

}  // namespace gcsflux::cli
