#pragma once

#include <stop_token>

#include "cli/arguments/filter.h"
#include "cli/copy/copy_plan.h"
#include "cli/copy/route.h"
#include "cli/parallel/run_adapting.h"
#include "cli/terminal/transfer_monitor.h"
#include "gcsflux/object_reader.h"

namespace gcsflux::cli {

/// One run of cp, mv or sync.
struct CopyRun {
  Concurrency concurrency = {};
  RouteOptions route = {};
  ObjectReaderOptions stream_reading = {};  ///< How what goes into a pipe is fetched.
  Filter filter = {};                       ///< Of what is in directories, and of what wildcards match.
  CopyPlanOptions plan = {};                ///< Without what the job says.
  bool is_dry = false;                      ///< Writes to standard output what it would do.
  bool is_move = false;                     ///< Deletes the generation of each object that was copied.
  std::stop_token stop = {};
};

/// The values of the flags. Returns kInvalidArgument if one is invalid.
Result<CopyRun> CopyRunFromFlags();

/// Whether a write was refused because something is there, and stored nothing.
bool IsRefusedAsPresent(const Error& error);

/// The kind of summary of a run of many objects.
TransferMonitor::Summary SummaryOf(const CopyRun& run);

}  // namespace gcsflux::cli
