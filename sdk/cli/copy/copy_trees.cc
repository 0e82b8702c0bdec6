#include "cli/copy/copy_trees.h"

#include <gflags/gflags.h>

#include <optional>
#include <utility>

#include "cli/arguments/names.h"
#include "cli/copy/copy_flags.h"
#include "cli/copy/copy_jobs.h"
#include "cli/copy/copy_sources.h"
#include "cli/copy/local_tree.h"
#include "gcsflux/client.h"
#include "transfer/threads/run_on_threads.h"

DECLARE_bool(recursive);

namespace gcsflux::cli {
namespace {

// One run of the command: first it finds what to copy, then it copies.
class TreesCopy {
 public:
  TreesCopy(const Client& client, const CopyRun& run, std::string destination, bool is_into)
      : client_(client), run_(run), destination_(std::move(destination)), is_into_(is_into), monitor_(SummaryOf(run)) {}

  Result<void> Copy(const std::vector<std::string>& sources) {
    std::vector<CopyJob> jobs(sources.size());
    const auto find = [&](std::size_t index, const std::stop_token&) -> Result<void> {
      Find(sources[index], jobs[index]);
      return {};
    };
    // A single listing already makes many calls at the same time.
    const int at_once = FLAGS_recursive ? 1 : run_.max_concurrency;
    static_cast<void>(internal::RunOnThreads(client_, sources.size(), at_once, find, run_.stop));
    if (const auto shared = FindSharedDestination(jobs)) {
      return Error{ErrorCode::kInvalidArgument, "two sources would both become '" + *shared +
                                                    "', and nothing was copied; copy them to different directories"};
    }
    RunCopyJobs(client_, jobs, run_, monitor_);
    return monitor_.Finish();
  }

 private:
  // A source that cannot be read leaves an empty job.
  void Find(const std::string& source, CopyJob& job) {
    auto found = FLAGS_recursive ? FindTree(source) : FindOne(source);
    if (found) {
      job = *std::move(found);
    } else if (!run_.stop.stop_requested()) {
      monitor_.NoteFailure(found.error());
    }
  }

  // The entries below a directory. If a name has only an object, it is that object.
  Result<CopyJob> FindTree(const std::string& source) {
    if (!IsUri(source) && !IsLocalDirectory(source)) return FindOne(source);
    const auto from = RootAt(source);
    if (!from) return from.error();
    const auto to = DestinationOf(source, destination_, is_into_);
    if (!to) return to.error();
    auto entries = ListTree(client_, *from, monitor_, run_.stop);
    if (!entries) return entries.error();
    CopyJob job{.from = *from, .to = *to, .sources = std::move(entries->entries)};
    if (job.sources.empty() && !from->is_local() && !from->prefix.empty()) {
      auto one = IsDirectoryBySpelling(source) ? NothingThere(source) : FindOne(source);
      return one || one.error().code != ErrorCode::kNotFound ? one : NothingThere(source);
    }
    return WithDestination(std::move(job), /*is_wanted=*/true);
  }

  // A single file or object. It keeps its last name in the destination, and replaces what exists.
  Result<CopyJob> FindOne(const std::string& source) {
    auto job = IsUri(source) ? FindObject(source) : FindFile(source);
    if (!job) return job;
    job->to = *RootAt(destination_);
    return WithDestination(*std::move(job), run_.plan.skips_present);
  }

  static Result<CopyJob> FindFile(const std::string& path) {
    auto file = LookAtFile(path, LastName(path));
    if (!file) return file.error();
    const Root from{.prefix = path.substr(0, path.size() - file->name.size())};
    return CopyJob{.from = from, .sources = {*std::move(file)}};
  }

  Result<CopyJob> FindObject(const std::string& uri) {
    const auto object = ParseObject(uri);
    if (!object) return object.error();
    const auto found = client_.GetObject(*object, {.stop = run_.stop});
    if (!found) return found.error();
    const std::string name = LastName(found->name);
    const Root from{found->bucket, found->name.substr(0, found->name.size() - name.size())};
    return CopyJob{.from = from, .sources = {{name, found->size, found->updated, found->generation, found->crc32c}}};
  }

  Result<CopyJob> WithDestination(CopyJob job, bool is_wanted) {
    if (!is_wanted) return job;
    if (auto looked = LookAtDestination(client_, job, /*all=*/false, monitor_, run_.stop); !looked)
      return looked.error();
    return job;
  }

  const Client& client_;
  const CopyRun& run_;
  const std::string destination_;
  const bool is_into_;
  TransferMonitor monitor_;
};

Result<void> CheckSource(const std::string& source, const std::string& destination) {
  if (source == "-") return Error{ErrorCode::kInvalidArgument, "standard input is copied alone, without --recursive"};
  if (!IsUri(source) && !IsUri(destination)) return NoUriAmong(source, destination);
  if (!IsUri(source)) return {};
  if (const auto parsed = ParseUri(source); !parsed) return parsed.error();
  return {};
}

}  // namespace

Result<void> CopyTrees(const Client& client, const std::vector<std::string>& arguments) {
  const std::string& destination = arguments.back();
  const std::vector<std::string> sources(arguments.begin(), arguments.end() - 1);
  auto run = CopyRunFromFlags();
  if (!run) return run.error();
  if (const auto root = RootAt(destination); !root) return root.error();
  const bool is_directory =
      IsDirectoryBySpelling(destination) || (!IsUri(destination) && IsLocalDirectory(destination));
  if (sources.size() > 1 && !is_directory) {
    return Error{ErrorCode::kInvalidArgument,
                 "several sources need a directory as the destination: end '" + destination + "' with a slash"};
  }
  for (const std::string& source : sources) {
    if (auto checked = CheckSource(source, destination); !checked) return checked;
  }
  const bool is_into = sources.size() > 1 || IsDirectoryBySpelling(destination);
  return TreesCopy(client, *run, destination, is_into).Copy(sources);
}

}  // namespace gcsflux::cli
