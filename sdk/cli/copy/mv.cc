#include <gflags/gflags.h>

#include <algorithm>

#include "cli/arguments/names.h"
#include "cli/commands.h"
#include "cli/copy/copy_entries.h"

namespace gcsflux::cli {
namespace {

Result<void> Move(const Client& client, const std::vector<std::string>& arguments) {
  const auto local = std::ranges::find_if(arguments, [](const std::string& argument) { return !IsUri(argument); });
  if (local != arguments.end()) {
    return Error{ErrorCode::kInvalidArgument,
                 "'" + *local + "' is not a gs:// URI, and mv moves objects only; use cp, then remove the source"};
  }
  auto run = CopyRunFromFlags();
  if (!run) return run.error();
  run->is_move = true;
  run->plan.skips_same = false;
  return CopyEntries(client, arguments, *run);
}

constexpr auto kMvFlags = WithFilterFlags({{"recursive", "rR"},
                                           {"no_clobber", "n"},
                                           {"", "f", "Accepted: without -n, mv replaces what exists."},
                                           {"dry_run"},
                                           {"json"}});

}  // namespace

constinit const Command kMv = {
    .name = "mv",
    .arguments = "SOURCE... DESTINATION",
    .summary = "Move or rename objects within a bucket or between buckets.",
    .details =
        "Names are as for cp. Within a bucket the service moves each object in one step. Between buckets, and if the\n"
        "service does not move, it is copied; then the generation that was copied is deleted, and no other. After an\n"
        "interruption such an object is at its old name, or at both. Run the same command again.\n",
    .flags = kMvFlags,
    .min_arguments = 2,
    .run = Move,
    .is_resumable = true,
};

}  // namespace gcsflux::cli
