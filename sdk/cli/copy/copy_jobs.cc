#include "cli/copy/copy_jobs.h"

#include <gflags/gflags.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <iostream>
#include <iterator>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "cli/copy/connections_of.h"
#include "cli/terminal/json_object.h"
#include "cli/terminal/output.h"
#include "gcsflux/client.h"

DECLARE_bool(json);

namespace gcsflux::cli {
namespace {

using Action = CopyStep::Action;

// One step of one job.
struct Task {
  const CopyJob* job = nullptr;
  const Route* route = nullptr;
  CopyStep step = {};

  [[nodiscard]] bool is_deletion() const { return step.action == Action::kDelete; }
  // Otherwise its size is not known.
  [[nodiscard]] bool is_listed() const { return job->from.is_local() || entry().generation != 0; }
  [[nodiscard]] const TreeEntry& entry() const { return (is_deletion() ? job->present : job->sources)[step.entry]; }
  // The entry at the destination, if it was found; otherwise null.
  [[nodiscard]] const TreeEntry* present() const { return step.present ? &job->present[*step.present] : nullptr; }
};

// Failures that every further request would have too.
bool IsOfTheService(const Error& error) {
  switch (error.code) {
    case ErrorCode::kUnauthenticated:
    case ErrorCode::kTokenUnavailable:
    case ErrorCode::kUnreachable:
    case ErrorCode::kProxyFailed:
    case ErrorCode::kTlsFailed: return true;
    default: return false;
  }
}

class Runner {
 public:
  Runner(const Client& client, const CopyRun& run, TransferMonitor& monitor)
      : client_(client), run_(run), options_(run.route), monitor_(monitor), pass_on_(run.stop, [this] {
          stop_.request_stop();
        }) {}

  void Add(const CopyJob& job) {
    const Route& route = routes_.emplace_back(client_, job.from, job.to, options_);
    CopyPlanOptions options = run_.plan;
    options.is_to_local = job.to.is_local();
    options.prefix = job.to.prefix;
    options.left_out = job.left_out;
    for (CopyStep& step : PlanCopy(job.sources, job.present, options)) Sort({&job, &route, std::move(step)});
  }

  void Say() {
    for (const auto* tasks : {&large_, &small_, &deletions_}) {
      for (const Task& task : *tasks) {
        if (!stop_.stop_requested()) SayOne(task);
      }
    }
    std::cout.flush();  // Before the summary.
  }

  void Run() {
    ChoosePath();
    large_.insert(large_.end(), std::make_move_iterator(small_.begin()), std::make_move_iterator(small_.end()));
    RunAtOnce(large_);
    if (!deletions_.empty() && monitor_.counts().failed > 0) {
      monitor_.Say("gcsflux: nothing was deleted, because some copies failed");
    } else {
      RunAtOnce(deletions_);
    }
  }

 private:
  void Sort(Task task) {
    switch (task.step.action) {
      case Action::kSkip: return monitor_.NoteSkipped();
      case Action::kDelete: return deletions_.push_back(std::move(task));
      case Action::kRefuse: return Refuse(task);
      default: break;
    }
    if (task.step.action != Action::kMakeDirectory) monitor_.Expect(1, task.entry().size);
    (ConnectionsOf(task) > 1 ? large_ : small_).push_back(std::move(task));
  }

  [[nodiscard]] int ConnectionsOf(const Task& task) const {
    if (task.is_deletion()) return 1;
    const int most = run_.concurrency.base;
    if (!task.is_listed()) return most;
    if (task.job->to.is_local()) return DownloadConnections(task.entry().size, most);
    const bool can_be_parts = task.job->from.is_local() && options_.writing.path != WritePath::kOneStream;
    return can_be_parts ? UploadConnections(task.entry().size, most) : 1;
  }

  [[nodiscard]] TaskNeeds NeedsOf(const Task& task) const {
    const bool is_rewrite = !task.job->from.is_local() && !task.job->to.is_local();
    return {.connections = ConnectionsOf(task), .bytes = task.is_deletion() || is_rewrite ? 0 : task.entry().size};
  }

  // Asks once for all large files. All jobs have the same destination.
  void ChoosePath() {
    const bool is_upload = !large_.empty() && large_.front().job->from.is_local();
    if (!is_upload || options_.writing.path != WritePath::kAuto) return;
    UploadOptions options = options_.writing;
    options.stop = stop_.get_token();
    options_.writing.path = ChooseWritePath(client_, large_.front().job->to.bucket, options);
  }

  void Refuse(const Task& task) {
    monitor_.NoteFailure({ErrorCode::kLocalIo,
                          "'" + task.job->from.PathOf(task.entry().name) + "' was not copied: " + task.step.reason});
  }

  void SayOne(const Task& task) {
    const std::string& name = task.entry().name;
    if (task.is_deletion()) {
      const std::string uri = task.job->to.PathOf(name);
      PrintLine(FLAGS_json ? JsonObject().Add("action", "delete").Add("uri", uri).text() : "delete " + uri);
      return monitor_.NoteDeleted();
    }
    if (task.step.action == Action::kMakeDirectory) return;
    const auto is_same = IsSame(task);
    if (!is_same) return monitor_.NoteFailure(is_same.error());
    if (*is_same) return monitor_.NoteSame(task.entry().size);
    const std::string version = task.entry().is_pinned ? "#" + std::to_string(task.entry().generation) : "";
    PrintCopy(run_.is_move ? "move" : "copy", task.job->from.PathOf(name) + version, task.job->to.PathOf(name));
  }

  void RunAtOnce(const std::vector<Task>& tasks) {
    if (tasks.empty()) return;
    const auto perform = [&](std::size_t index, int connections, const std::stop_token&) -> Result<void> {
      if (!stop_.stop_requested()) Perform(tasks[index], connections);
      return {};
    };
    const bool is_download = tasks.front().job->to.is_local();
    static_cast<void>(RunAdapting(client_, run_.concurrency,
                                  {.count = tasks.size(),
                                   .gate_class = is_download ? GateClass::kRead : GateClass::kWrite,
                                   .needs = [&](std::size_t index) { return NeedsOf(tasks[index]); },
                                   .perform = perform}));
  }

  void Perform(const Task& task, int connections) {
    const auto done = Do(task, connections);
    if (done || (done.error().code == ErrorCode::kCancelled && stop_.stop_requested())) return;
    monitor_.NoteFailure(done.error());
    if (IsOfTheService(done.error())) stop_.request_stop();
  }

  Result<void> Do(const Task& task, int connections) {
    switch (task.step.action) {
      case Action::kMakeDirectory: return task.route->MakeDirectory(task.entry());
      case Action::kDelete: {
        auto deleted = task.route->Delete(task.entry(), stop_.get_token());
        if (deleted) monitor_.NoteDeleted();
        return deleted;
      }
      default: break;
    }
    const auto is_same = IsSame(task);
    if (!is_same) return is_same.error();
    if (!*is_same) return Copy(task, connections);
    monitor_.NoteSame(task.entry().size);
    return {};
  }

  Result<bool> IsSame(const Task& task) {
    if (task.step.action != Action::kCopyIfDifferent) return false;
    return task.route->IsSame(task.entry(), *task.present(), stop_.get_token());
  }

  Result<void> Copy(const Task& task, int connections) {
    TransferMonitor::Meter meter(monitor_);
    std::once_flag expected;
    const auto on_progress = [&](const Progress& progress) {
      if (!task.is_listed()) std::call_once(expected, [&] { monitor_.Expect(0, progress.total); });
      meter.Set(progress.bytes);
    };
    const CopyCall call{.present = task.present(),
                        .connections = connections,
                        .is_move = run_.is_move,
                        .on_progress = on_progress,
                        .stop = stop_.get_token()};
    const auto copied = task.route->Copy(task.entry(), call);
    if (!copied) return IgnoreWhatIsThere(copied.error(), task.entry().size, meter);
    if (task.is_listed()) meter.Set(task.entry().size);
    monitor_.NoteCopied(copied->kept_bytes);
    if (!run_.is_move || copied->is_moved) return {};
    return task.route->DeleteSource(task.entry(), copied->source_generation, stop_.get_token());
  }

  // It was made after the check.
  Result<void> IgnoreWhatIsThere(const Error& error, std::uint64_t bytes, TransferMonitor::Meter& meter) {
    if (!run_.plan.skips_present || !IsRefusedAsPresent(error)) return error;
    meter.Set(0);  // What was sent is not stored.
    monitor_.NoteSame(bytes);
    return {};
  }

  const Client& client_;
  const CopyRun& run_;
  RouteOptions options_;  // Does not change while a copy runs.
  TransferMonitor& monitor_;
  std::stop_source stop_;
  const std::stop_callback<std::function<void()>> pass_on_;
  std::deque<Route> routes_;  // They stay where they are.
  std::vector<Task> large_;   // Tasks that can use several connections. They come first, because they take longest.
  std::vector<Task> small_;
  std::vector<Task> deletions_;
};

}  // namespace

void PrintCopy(const std::string& action, const std::string& from, const std::string& to) {
  PrintLine(FLAGS_json ? JsonObject().Add("action", action).Add("from", from).Add("to", to).text()
                       : action + " " + from + " to " + to);
}

std::optional<std::string> FindSharedDestination(const std::vector<CopyJob>& jobs) {
  std::vector<std::pair<std::string, const CopyJob*>> roots;
  for (const CopyJob& job : jobs) {
    if (!job.sources.empty()) roots.emplace_back(job.to.PathOf(""), &job);
  }
  std::sort(roots.begin(), roots.end());
  for (auto begin = roots.begin(); begin != roots.end();) {
    // Jobs whose roots are not within each other share nothing, and their names are not compared.
    const auto is_below = [&](const auto& other) { return other.first.starts_with(begin->first); };
    const auto end = std::find_if_not(begin, roots.end(), is_below);
    std::set<std::string> names;
    for (auto one = begin; one != end && end - begin > 1; ++one) {
      for (const TreeEntry& entry : one->second->sources) {
        if (const auto [place, is_new] = names.insert(one->first + entry.name); !is_new) return *place;
      }
    }
    begin = end;
  }
  return std::nullopt;
}

void RunCopyJobs(const Client& client, const std::vector<CopyJob>& jobs, const CopyRun& run, TransferMonitor& monitor) {
  Runner runner(client, run, monitor);
  for (const CopyJob& job : jobs) runner.Add(job);
  if (run.is_dry) return runner.Say();
  runner.Run();
}

}  // namespace gcsflux::cli
