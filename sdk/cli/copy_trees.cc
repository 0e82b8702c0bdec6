#include "cli/copy_trees.h"

#include <gflags/gflags.h>

#include <filesystem>
#include <utility>

#include "cli/copy.h"
#include "cli/copy_flags.h"
#include "cli/copy_jobs.h"
#include "cli/copy_sources.h"
#include "cli/local_tree.h"
#include "cli/names.h"

DECLARE_bool(recursive);
DEFINE_bool(delete, false,
            "sync: delete at the destination what is not in the source. Nothing is deleted where anything failed.");

namespace gcsflux::cli {
namespace {

namespace fs = std::filesystem;

Error WrongUsage(std::string message) { return Error{ErrorCode::kInvalidArgument, std::move(message)}; }

Error NothingThere(const std::string& uri) { return Error{ErrorCode::kEmptyPrefix, "nothing is stored under " + uri}; }

// A file or an object of its own.
Result<CopyJob> FindOne(const Client& client, const std::string& source, const Root& to, const CopyRun& run) {
  CopyJob job{.to = to};
  if (!IsUri(source)) {
    auto file = LookAtFile(source, LastName(source));
    if (!file) return file.error();
    job.from.prefix = source.substr(0, source.size() - file->name.size());
    job.sources.push_back(*std::move(file));
    return job;
  }
  const auto object = ParseObject(source);
  if (!object) return object.error();
  const auto found = client.GetObject(*object, {.stop = run.stop});
  if (!found) return found.error();
  const std::string name = LastName(found->name);
  job.from = {found->bucket, found->name.substr(0, found->name.size() - name.size())};
  job.sources.push_back({name, found->size, found->updated, found->generation, found->crc32c});
  return job;
}

// The same with its place: it keeps its last name in the directory `to`, and replaces what is there, or leaves it.
Result<CopyJob> JobOfOne(const Client& client, const std::string& source, const Root& to, const CopyRun& run,
                         TransferMonitor& monitor) {
  auto job = FindOne(client, source, to, run);
  if (!job || !run.plan.skips_present) return job;
  if (auto looked = LookAtDestination(client, *job, /*all=*/false, monitor, run.stop); !looked) return looked.error();
  return job;
}

// What is below a directory. A name under which only an object is stored is that object.
Result<CopyJob> JobOfTree(const Client& client, const std::string& source, const std::string& destination, bool is_into,
                          const CopyRun& run, TransferMonitor& monitor) {
  if (!IsUri(source) && !fs::is_directory(source)) return JobOfOne(client, source, *RootAt(destination), run, monitor);
  const auto from = RootAt(source);
  const auto to = DestinationOf(source, destination, is_into);
  if (!from) return from.error();
  if (!to) return to.error();
  auto entries = ListTree(client, *from, monitor, run.stop);
  if (!entries) return entries.error();
  CopyJob job{.from = *from, .to = *to, .sources = *std::move(entries)};
  const bool is_empty = job.sources.empty() && !from->is_local() && !from->prefix.empty();
  if (is_empty && !IsDirectoryBySpelling(source)) {
    auto one = JobOfOne(client, source, *RootAt(destination), run, monitor);
    if (one || one.error().code != ErrorCode::kNotFound) return one;
  }
  if (is_empty) return NothingThere(source);
  if (auto looked = LookAtDestination(client, job, /*all=*/false, monitor, run.stop); !looked) return looked.error();
  return job;
}

TransferMonitor::Summary SummaryOf(const CopyRun& run) {
  return run.is_dry ? TransferMonitor::Summary::kOfDryRun : TransferMonitor::Summary::kAlways;
}

}  // namespace

Result<void> CopyTrees(const Client& client, const std::vector<std::string>& arguments) {
  const std::string& destination = arguments.back();
  const std::size_t sources = arguments.size() - 1;
  const bool is_into = sources > 1 || IsDirectoryBySpelling(destination);
  const bool is_to_uri = IsUri(destination);
  auto run = CopyRunFromFlags();
  if (!run) return run.error();
  if (const auto root = RootAt(destination); !root) return root.error();
  if (sources > 1 && !IsDirectoryBySpelling(destination) && (is_to_uri || !fs::is_directory(destination))) {
    return WrongUsage("several sources go into a directory: end '" + destination + "' in a slash");
  }
  for (std::size_t i = 0; i < sources; ++i) {
    if (arguments[i] == "-") return WrongUsage("standard input can be copied alone only");
    if (!is_to_uri && !IsUri(arguments[i])) {
      return WrongUsage("neither '" + arguments[i] + "' nor '" + destination + "' is a gs:// URI");
    }
    if (IsUri(arguments[i])) {
      if (const auto parsed = ParseUri(arguments[i]); !parsed) return parsed.error();
    }
  }
  TransferMonitor monitor(SummaryOf(*run));
  std::vector<CopyJob> jobs;
  for (std::size_t i = 0; i < sources && !run->stop.stop_requested(); ++i) {
    auto job = FLAGS_recursive ? JobOfTree(client, arguments[i], destination, is_into, *run, monitor)
                               : JobOfOne(client, arguments[i], *RootAt(destination), *run, monitor);
    if (!job) {
      monitor.NoteFailure(job.error());
      continue;
    }
    jobs.push_back(*std::move(job));
  }
  RunCopyJobs(client, jobs, *run, monitor);
  return monitor.Finish();
}

Result<void> Sync(const Client& client, const std::vector<std::string>& arguments) {
  if (!IsUri(arguments[0]) && !IsUri(arguments[1])) {
    return WrongUsage("neither '" + arguments[0] + "' nor '" + arguments[1] + "' is a gs:// URI");
  }
  const auto from = RootAt(arguments[0]);
  const auto to = RootAt(arguments[1]);
  if (!from) return from.error();
  if (!to) return to.error();
  auto run = CopyRunFromFlags();
  if (!run) return run.error();
  run->plan.deletes_extra = FLAGS_delete;
  TransferMonitor monitor(SummaryOf(*run));
  auto entries = ListTree(client, *from, monitor, run->stop);
  if (!entries) return entries.error();
  // A name that was mistyped is not a reason to delete everything.
  if (entries->empty() && !from->is_local()) return NothingThere(arguments[0]);
  std::vector<CopyJob> jobs(1);
  jobs[0] = {.from = *from, .to = *to, .sources = *std::move(entries)};
  if (auto looked = LookAtDestination(client, jobs[0], FLAGS_delete, monitor, run->stop); !looked) return looked;
  RunCopyJobs(client, jobs, *run, monitor);
  return monitor.Finish();
}

}  // namespace gcsflux::cli
