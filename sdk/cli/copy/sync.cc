#include <gflags/gflags.h>

#include "cli/arguments/names.h"
#include "cli/commands.h"
#include "cli/copy/copy_entries.h"
#include "cli/copy/copy_jobs.h"
#include "cli/copy/copy_sources.h"

DECLARE_bool(force);
DEFINE_bool(delete, false,
            "Delete at the destination what the source does not have. If anything failed, nothing is deleted.");

namespace gcsflux::cli {
namespace {

Result<void> Sync(const Client& client, const std::vector<std::string>& arguments) {
  if (!IsUri(arguments[0]) && !IsUri(arguments[1])) return NoUriAmong(arguments[0], arguments[1]);
  const auto from = RootAt(arguments[0]);
  if (!from) return from.error();
  const auto to = RootAt(arguments[1]);
  if (!to) return to.error();
  if (DoOverlap(*from, *to)) {
    return Error{ErrorCode::kInvalidArgument,
                 "'" + arguments[0] + "' and '" + arguments[1] + "' contain one another; sync separate directories"};
  }
  auto run = CopyRunFromFlags();
  if (!run) return run.error();
  run->plan.deletes_extra = FLAGS_delete;
  TransferMonitor monitor(SummaryOf(*run));
  auto entries = ListTree(client, *from, monitor, run->stop);
  if (!entries) return entries.error();
  const bool may_be_empty = FLAGS_delete && FLAGS_force;
  const bool is_empty = entries->entries.empty();
  if (is_empty && !from->is_local() && !may_be_empty) return NothingThere(arguments[0]);
  FilterTree(run->filter, *entries);
  std::vector<CopyJob> jobs(1);
  jobs[0] = {.from = *from,
             .to = *to,
             .sources = std::move(entries->entries),
             .present = {},
             .left_out = std::move(entries->left_out)};
  if (auto looked = LookAtDestination(client, jobs[0], FLAGS_delete, monitor, run->stop); !looked) return looked;
  // What is excluded by its name is not deleted either, as if it were not there.
  std::erase_if(jobs[0].present, [&](const TreeEntry& entry) { return !run->filter.TakesName(entry.name); });
  // A mistyped name, or a file system that is not mounted, must not delete everything.
  if (FLAGS_delete && is_empty && !may_be_empty && !jobs[0].present.empty()) {
    return Error{ErrorCode::kInvalidArgument, "'" + arguments[0] +
                                                  "' is empty, and --delete would delete everything in '" +
                                                  arguments[1] + "'; if that is wanted, add --force"};
  }
  RunCopyJobs(client, jobs, *run, monitor);
  return monitor.Finish();
}

constexpr auto kSyncFlags =
    WithFilterFlags({{"delete", "d"},
                     {"force", "", "With --delete, delete everything at the destination if the source is empty."},
                     {"dry_run", "n"},
                     {"no_clobber"},
                     {"compare"},
                     {"content_type"},
                     {"cache_control"},
                     {"metadata", "", "Custom metadata of what is written: key=value,key=value."},
                     {"", "rR", "Accepted: sync always copies all levels."},
                     {"json"}});

}  // namespace

constinit const Command kSync = {
    .name = "sync",
    .arguments = "SOURCE DESTINATION",
    .summary = "Copy what is new or different in a directory to another one.",
    .details =
        "Both are directories: gs://BUCKET[/PREFIX], or one of them a local directory. If a file or object exists at\n"
        "DESTINATION with the same size and CRC32C, it is skipped.\n",
    .flags = kSyncFlags,
    .min_arguments = 2,
    .max_arguments = 2,
    .run = Sync,
    .is_resumable = true,
};

}  // namespace gcsflux::cli
