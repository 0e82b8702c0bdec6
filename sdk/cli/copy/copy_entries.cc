#include "cli/copy/copy_entries.h"

#include <gflags/gflags.h>

#include <iterator>
#include <utility>

#include "cli/arguments/generation.h"
#include "cli/arguments/names.h"
#include "cli/arguments/wildcards.h"
#include "cli/copy/copy_jobs.h"
#include "cli/copy/copy_sources.h"
#include "cli/copy/local_tree.h"
#include "transfer/threads/run_on_threads.h"

DECLARE_bool(recursive);

namespace gcsflux::cli {
namespace {

using Jobs = std::vector<CopyJob>;

// The path up to its last name, as a root.
Root ParentOf(const Root& path) {
  return {path.bucket, path.prefix.substr(0, path.prefix.size() - LastName(path.prefix).size())};
}

// A file or object by its name, as a root.
Result<Root> NamedBy(const std::string& argument) {
  if (!IsUri(argument)) return Root{.prefix = argument};
  auto object = ParseObject(argument);
  if (!object) return object.error();
  return Root{std::move(object->bucket), std::move(object->name)};
}

bool IsWrongUsage(const Error& error) { return error.code == ErrorCode::kInvalidArgument && error.http_status == 0; }

// One run of the command: first it finds what to copy, then it copies.
class EntriesCopy {
 public:
  EntriesCopy(const Client& client, const CopyRun& run, std::string destination,
              const std::vector<std::string>& sources)
      : client_(client),
        run_(run),
        destination_(std::move(destination)),
        is_directory_(IsDirectoryBySpelling(destination_) || (!IsUri(destination_) && IsLocalDirectory(destination_))),
        sources_(sources),
        is_one_(sources.size() == 1 && !FLAGS_recursive && !HasWildcard(sources.front())),
        is_into_(sources.size() > 1 || IsDirectoryBySpelling(destination_)),
        monitor_(is_one_ && !run.is_dry ? TransferMonitor::Summary::kOfOne : SummaryOf(run)) {}

  Result<void> Copy() {
    if (sources_.size() > 1 && !is_directory_) return NeedsDirectory();
    std::vector<Jobs> found(sources_.size());
    const auto find = [&](std::size_t index, const std::stop_token&) -> Result<void> {
      auto jobs = Find(sources_[index]);
      if (jobs) {
        found[index] = *std::move(jobs);
      } else if (IsWrongUsage(jobs.error())) {
        return jobs.error();  // Nothing is copied.
      } else if (!run_.stop.stop_requested()) {
        monitor_.NoteFailure(jobs.error());
      }
      return {};
    };
    // A single listing already makes many calls at the same time.
    const int at_once = FLAGS_recursive ? 1 : run_.concurrency.base;
    const auto done = internal::RunOnThreads(client_, sources_.size(), at_once, find, run_.stop);
    if (!done && IsWrongUsage(done.error())) return done;
    Jobs jobs;
    for (Jobs& some : found) std::move(some.begin(), some.end(), std::back_inserter(jobs));
    if (const auto shared = FindSharedDestination(jobs)) {
      return Error{ErrorCode::kInvalidArgument, "two sources would both become '" + *shared +
                                                    "', and nothing was copied; copy them to different directories"};
    }
    RunCopyJobs(client_, jobs, run_, monitor_);
    return monitor_.Finish();
  }

 private:
  [[nodiscard]] Error NeedsDirectory() const {
    return {ErrorCode::kInvalidArgument,
            "several sources need a directory as the destination: end '" + destination_ + "' with a slash"};
  }

  Result<Jobs> Find(const std::string& source) {
    auto job = FLAGS_recursive ? FindTree(source) : FindOne(source);
    if (job) return Jobs{*std::move(job)};
    const ErrorCode code = job.error().code;
    const bool is_missing = code == ErrorCode::kEmptyPrefix || code == ErrorCode::kNotFound;
    if (is_missing && IsUri(source) && HasWildcard(source)) return FindPattern(source);
    return job.error();
  }

  // The entries below a directory. If a name has only an object, it is that object.
  Result<CopyJob> FindTree(const std::string& source) {
    if (!IsUri(source) && !IsLocalDirectory(source)) return FindOne(source);
    const auto from = RootAt(source);
    if (!from) return from.error();
    const auto to = DestinationOf(source, destination_, is_into_);
    if (!to) return to.error();
    if (run_.is_move && DoOverlap(*from, *to)) return OntoItself(source);
    auto entries = ListTree(client_, *from, monitor_, run_.stop);
    if (!entries) return entries.error();
    const bool is_empty = entries->entries.empty();
    FilterTree(run_.filter, *entries);
    CopyJob job{.from = *from, .to = *to, .sources = std::move(entries->entries)};
    if (is_empty && !from->is_local() && !from->prefix.empty()) {
      if (IsDirectoryBySpelling(source)) return NothingThere(source);
      return FindOne(source);
    }
    return WithDestination(std::move(job), run_.plan.skips_same || run_.plan.skips_present);
  }

  // A single file or object. It keeps its last name in a directory, and replaces what exists.
  Result<CopyJob> FindOne(const std::string& source) {
    const auto named = SourceNamed(source);
    if (!named) return named.error();
    const Root from{named->object.bucket, named->object.name};
    const auto to = is_directory_ ? RootAt(destination_) : NamedBy(destination_);
    if (!to) return to.error();
    const std::string name = is_directory_ ? LastName(from.prefix) : "";
    CopyJob job{.from = is_directory_ ? ParentOf(from) : from, .to = *to};
    if (run_.is_move && job.from == job.to && !named->generation) return OntoItself(source);
    auto entry = Examine(*named, name);
    if (!entry) return entry.error();
    job.sources = {*std::move(entry)};
    return WithDestination(std::move(job), run_.plan.skips_present && (!is_one_ || run_.is_dry));
  }

  // A file, whose bucket is empty, an object, or one of its generations.
  [[nodiscard]] Result<NamedObject> SourceNamed(const std::string& source) const {
    if (!IsUri(source)) return NamedObject{{.name = source}};
    const auto object = ParseObject(source);
    if (!object) return object.error();
    return ResolveGeneration(client_, *object, run_.stop);
  }

  // Of a single object nothing need be known: its copy finds it, and what is at the destination.
  Result<TreeEntry> Examine(const NamedObject& source, const std::string& name) {
    if (source.object.bucket.empty()) return LookAtFile(source.object.name, name);
    if (is_one_ && !source.generation) return TreeEntry{.name = name};
    const auto found = client_.GetObject(source.object, {.generation = source.generation, .stop = run_.stop});
    if (!found) return found.error();
    TreeEntry entry = EntryOf(*found, name);
    entry.is_pinned = source.generation.has_value();
    return entry;
  }

  // The objects that match, by their last names. A job has those of one directory.
  Result<Jobs> FindPattern(const std::string& source) {
    if (!is_directory_) return NeedsDirectory();
    const auto pattern = ParseObject(source);
    if (!pattern) return pattern.error();
    const Root to = *RootAt(destination_);
    Jobs jobs;
    const auto take = [&](const std::vector<ObjectMetadata>& matches) -> Result<void> {
      for (const ObjectMetadata& match : matches) {
        const std::string name = LastName(match.name);
        if (name.empty()) continue;  // It stands for a directory.
        if (!run_.filter.Takes(name, match.size, match.updated)) continue;
        const Root from = ParentOf({match.bucket, match.name});
        if (run_.is_move && from == to) return OntoItself(source);
        if (jobs.empty() || jobs.back().from != from) jobs.push_back({.from = from, .to = to});
        jobs.back().sources.push_back(EntryOf(match, name));
      }
      return {};
    };
    if (auto found = FindMatches(client_, *pattern, take, run_.stop); !found) return found.error();
    for (CopyJob& job : jobs) {
      if (!run_.plan.skips_present) break;
      if (auto looked = LookAtDestination(client_, job, /*all=*/false, monitor_, run_.stop); !looked)
        return looked.error();
    }
    return jobs;
  }

  static TreeEntry EntryOf(const ObjectMetadata& object, const std::string& name) {
    return {name, object.size, object.updated, object.generation, object.crc32c};
  }

  static Error OntoItself(const std::string& source) {
    return {ErrorCode::kInvalidArgument, "'" + source + "' would be moved onto or into itself"};
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
  const bool is_directory_;  // What is copied goes into the destination.
  const std::vector<std::string>& sources_;
  const bool is_one_;   // One file or object, whose error is the command's.
  const bool is_into_;  // A directory's copy goes into it too.
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

Error NoUriAmong(const std::string& source, const std::string& destination) {
  return Error{ErrorCode::kInvalidArgument, "neither '" + source + "' nor '" + destination + "' is a gs:// URI"};
}

bool DoOverlap(const Root& a, const Root& b) {
  if (a.is_local() || b.is_local() || a.bucket != b.bucket) return false;
  return a.prefix.starts_with(b.prefix) || b.prefix.starts_with(a.prefix);
}

Result<void> CopyEntries(const Client& client, const std::vector<std::string>& arguments, const CopyRun& run) {
  const std::vector<std::string> sources(arguments.begin(), arguments.end() - 1);
  if (const auto root = RootAt(arguments.back()); !root) return root.error();
  for (const std::string& source : sources) {
    if (auto checked = CheckSource(source, arguments.back()); !checked) return checked;
  }
  return EntriesCopy(client, run, arguments.back(), sources).Copy();
}

}  // namespace gcsflux::cli
