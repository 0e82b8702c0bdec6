#include "cli/checkpoint/steps.h"

#include <gflags/gflags.h>

#include <charconv>
#include <iomanip>
#include <iostream>
#include <map>
#include <sstream>

#include "base/text/rfc3339.h"
#include "cli/arguments/duration.h"
#include "cli/arguments/names.h"
#include "cli/commands.h"
#include "cli/terminal/interruption.h"
#include "cli/terminal/json_object.h"
#include "cli/terminal/output.h"

DECLARE_bool(json);
DECLARE_bool(dry_run);
DECLARE_string(older_than);
DEFINE_int64(keep_last, 0, "Keep this many newest steps.");
DEFINE_string(keep_best, "",
              "Keep the best steps by a metric: METRIC:min or METRIC:max, or of several accuracy:max:3.");
DEFINE_int64(keep_every, 0, "Keep the steps that are multiples of it.");
DEFINE_bool(keep_hourly, false, "Keep the newest step of each hour, UTC.");
DEFINE_bool(keep_daily, false, "Keep the newest step of each day, UTC.");

namespace gcsflux::cli {
namespace {

using internal::FormatRfc3339;

std::string NumberText(double number) {
  std::ostringstream text;
  text.precision(17);
  text << number;
  return text.str();
}

const char* StateOf(const Step& step) {
  if (!step.problem) return "whole";
  return step.generation == 0 ? "unfinished" : "DAMAGED";
}

std::string LineOf(const Step& step) {
  std::string line =
      "  " + std::to_string(step.number) + "  " + StateOf(step) + "  " + std::to_string(step.bytes) + " bytes";
  if (!step.files.empty()) line += "  " + FormatRfc3339(step.time);
  for (const auto& [name, value] : step.metrics) line += "  " + name + " " + NumberText(value);
  if (step.problem) line += "  " + step.problem->message;
  return line;
}

std::string JsonOf(const Step& step) {
  JsonObject line;
  line.Add("step", step.number).Add("state", StateOf(step)).Add("bytes", step.bytes);
  if (!step.files.empty()) {
    JsonObject metrics;
    for (const auto& [name, value] : step.metrics) metrics.Add(name, value);
    line.Add("time", FormatRfc3339(step.time)).Add("run", step.run);
    line.AddJson("metrics", metrics.text());
  }
  if (step.problem) line.Add("problem", step.problem->message);
  return line.text();
}

Result<void> ListSteps(const Client& client, const std::vector<std::string>& arguments) {
  const auto run = OpenRun(client, arguments.front());
  if (!run) return run.error();
  const auto steps = run->List();
  if (!steps) return steps.error();
  for (const Step& step : *steps) PrintStep(step);
  PrintStepsTotal(*steps);
  return {};
}

Result<void> RemoveStep(const Client& client, const std::vector<std::string>& arguments) {
  const std::string& text = arguments[1];
  std::int64_t step = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), step);
  if (error != std::errc() || end != text.data() + text.size()) {
    return Error{ErrorCode::kInvalidArgument, "'" + text + "' is no step's number"};
  }
  const auto run = OpenRun(client, arguments[0]);
  if (!run) return run.error();
  if (auto removed = run->Remove(step, FLAGS_dry_run); !removed) return removed;
  PrintChange({"delete", "deleted"}, ManifestUri(*run, step));
  return {};
}

Error WrongFlag(const std::string& name, const std::string& why) {
  return {ErrorCode::kInvalidArgument, "flag --" + name + ": " + why};
}

Result<KeepRules> KeepRulesFromFlags() {
  if (FLAGS_keep_last < 0) return WrongFlag("keep_last", "it is at least 1");
  if (FLAGS_keep_every < 0) return WrongFlag("keep_every", "it is at least 1");
  KeepRules rules;
  if (!FLAGS_keep_best.empty()) {
    auto best = ParseKeepBest(FLAGS_keep_best);
    if (!best) return best.error();
    rules = *std::move(best);
  }
  rules.hourly = FLAGS_keep_hourly;
  rules.daily = FLAGS_keep_daily;
  if (FLAGS_keep_last > 0) rules.last = static_cast<std::size_t>(FLAGS_keep_last);
  if (FLAGS_keep_every > 0) rules.every = FLAGS_keep_every;
  if (rules.last || rules.every || rules.best || rules.hourly || rules.daily) return rules;
  return Error{ErrorCode::kInvalidArgument,
               "say what stays: --keep_last, --keep_best, --keep_every, --keep_hourly or --keep_daily"};
}

Result<void> PruneRun(const Client& client, const std::vector<std::string>& arguments) {
  const auto rules = KeepRulesFromFlags();
  if (!rules) return rules.error();
  const auto older_than = DurationOfFlag("older_than", FLAGS_older_than);
  if (!older_than) return older_than.error();
  const auto run = OpenRun(client, arguments.front());
  if (!run) return run.error();
  const auto report = run->Keep(*rules, FLAGS_dry_run);
  if (!report) return report.error();
  const std::string done = FLAGS_dry_run ? "would remove" : "removed";
  for (const std::int64_t step : report->removed) {
    std::cout << (FLAGS_json ? JsonObject().Add(done, step).text() : done + " step " + std::to_string(step)) << '\n';
  }
  for (const Step& step : report->not_removed) std::cerr << "gcsflux: " << Shown(step.problem->message) << '\n';
  const auto collected = run->CollectGarbage(*older_than, FLAGS_dry_run);
  if (!collected) return collected.error();
  SayDone(done + " " + std::to_string(report->removed.size()) + " steps, and " + std::to_string(collected->files) +
          " files of unfinished saves, " + std::to_string(collected->bytes) + " bytes; kept " +
          std::to_string(collected->foreign) + " objects of others");
  if (report->not_removed.empty()) return {};
  return *report->not_removed.front().problem;
}

constexpr CommandFlag kListStepsFlags[] = {{"json"}};
constexpr CommandFlag kRemoveStepFlags[] = {{"dry_run", "n"}, {"json"}};
constexpr CommandFlag kPruneFlags[] = {
    {"keep_last"},    {"keep_best"},  {"keep_every"},
    {"keep_hourly"},  {"keep_daily"}, {"older_than", "", "Keep files of unfinished saves that are younger than this."},
    {"dry_run", "n"}, {"json"}};

}  // namespace

Result<KeepRules> ParseKeepBest(std::string_view text) {
  const auto wrong = [&] {
    return WrongFlag("keep_best", "'" + std::string(text) + "' is not METRIC:min, METRIC:max or METRIC:max:COUNT");
  };
  KeepRules rules{.best = 1};
  std::string_view rest = text;
  const std::size_t last = rest.rfind(':');
  if (last == rest.npos) return wrong();
  if (const std::string_view count = rest.substr(last + 1); count != "min" && count != "max") {
    const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), *rules.best);
    if (error != std::errc() || end != count.data() + count.size() || *rules.best == 0) return wrong();
    rest = rest.substr(0, last);
  }
  if (!rest.ends_with(":min") && !rest.ends_with(":max")) return wrong();
  rules.is_highest_best = rest.ends_with(":max");
  rules.metric = rest.substr(0, rest.size() - 4);
  if (rules.metric.empty()) return wrong();
  return rules;
}

Result<CheckpointSteps> OpenRun(const Client& client, const std::string& uri) {
  return CheckpointSteps::Open(client, uri, {}, StopOnSignal());
}

std::string ManifestUri(const CheckpointSteps& run, std::int64_t step) {
  std::ostringstream uri;
  uri << AsDirectory(run.uri()) << "step-" << std::setw(8) << std::setfill('0') << step << ".json";
  return uri.str();
}

void PrintStep(const Step& step) { PrintLine(FLAGS_json ? JsonOf(step) : LineOf(step)); }

void PrintStepsTotal(const std::vector<Step>& steps) {
  std::map<std::string, int> users;  // Files that more than one manifest names are there once.
  std::size_t whole = 0;
  std::uint64_t bytes = 0;
  std::size_t shared = 0;
  for (const Step& step : steps) {
    if (!step.problem) ++whole;
    if (step.files.empty()) bytes += step.bytes;
    for (const StepFile& file : step.files) {
      const int count = ++users[file.name];
      if (count == 1) bytes += file.size;
      if (count == 2) ++shared;
    }
  }
  JsonObject line;
  line.Add("steps", steps.size()).Add("whole", whole).Add("bytes", bytes).Add("shared_files", shared);
  PrintLine(FLAGS_json
                ? line.text()
                : std::to_string(steps.size()) + (steps.size() == 1 ? " step, " : " steps, ") + std::to_string(whole) +
                      " whole, " + std::to_string(bytes) + " bytes, " + std::to_string(shared) + " shared files");
}

constinit const Command kListSteps = {
    .name = "checkpoint ls",
    .arguments = "RUN",
    .summary = "Show a training run's steps, their bytes, times and metrics.",
    .details =
        "A run is given by its prefix, gs://my-bucket/runs/7/. Shows also which steps are damaged or unfinished, and\n"
        "why.\n",
    .flags = kListStepsFlags,
    .max_arguments = 1,
    .run = ListSteps,
};

constinit const Command kRemoveStep = {
    .name = "checkpoint rm",
    .arguments = "RUN STEP",
    .summary = "Remove a step of a training run, but not the last complete one.",
    .details = "Do not remove a step that is being saved.\n",
    .flags = kRemoveStepFlags,
    .min_arguments = 2,
    .max_arguments = 2,
    .run = RemoveStep,
};

constinit const Command kPrune = {
    .name = "checkpoint prune",
    .arguments = "RUN",
    .summary = "Remove the complete steps of a training run that no rule keeps.",
    .details = "Then removes files of unfinished saves that are older than --older_than.\n",
    .flags = kPruneFlags,
    .max_arguments = 1,
    .run = PruneRun,
};

}  // namespace gcsflux::cli
