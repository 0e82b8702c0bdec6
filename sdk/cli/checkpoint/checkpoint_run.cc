#include "cli/checkpoint/checkpoint_run.h"

#include <gflags/gflags.h>

#include <charconv>
#include <iostream>
#include <map>
#include <sstream>

#include "base/messages/json_text.h"
#include "base/text/rfc3339.h"
#include "cli/arguments/duration.h"
#include "cli/checkpoint/keep_flags.h"
#include "cli/terminal/interruption.h"
#include "cli/terminal/output.h"
#include "gcsflux/checkpoints/checkpoint_steps.h"

DECLARE_bool(json);
DECLARE_bool(dry_run);
DECLARE_string(older_than);

namespace gcsflux::cli {
namespace {

using internal::FormatRfc3339;
using internal::JsonText;

void PrintShown(std::string line) { std::cout << Shown(std::move(line)) << '\n'; }

Result<CheckpointSteps> OpenRun(const Client& client, const std::string& uri) {
  return CheckpointSteps::Open(client, uri, {}, StopOnSignal());
}

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
  std::string line = R"({"step":)" + std::to_string(step.number) + R"(,"state":")" + StateOf(step) + R"(","bytes":)" +
                     std::to_string(step.bytes);
  if (!step.files.empty()) {
    line += R"(,"time":")" + FormatRfc3339(step.time) + R"(","run":)" + JsonText(step.run) + R"(,"metrics":{)";
    for (const auto& [name, value] : step.metrics) line += JsonText(name) + ":" + NumberText(value) + ",";
    if (line.back() == ',') line.pop_back();
    line += "}";
  }
  if (step.problem) line += R"(,"problem":)" + JsonText(step.problem->message);
  return line + "}";
}

// Files that more than one manifest names are there once.
void PrintTotal(const std::vector<Step>& steps) {
  std::map<std::string, int> users;
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
  if (FLAGS_json) {
    std::cout << R"({"steps":)" << steps.size() << R"(,"whole":)" << whole << R"(,"bytes":)" << bytes
              << R"(,"shared_files":)" << shared << "}\n";
    return;
  }
  std::cout << steps.size() << (steps.size() == 1 ? " step, " : " steps, ") << whole << " whole, " << bytes
            << " bytes, " << shared << " shared files\n";
}

Result<void> VerifyStep(const CheckpointSteps& run, const Step& step) {
  if (step.problem) return *step.problem;
  return run.VerifyFiles(step, {.stop = StopOnSignal()});
}

}  // namespace

Result<void> ListRun(const Client& client, const std::vector<std::string>& arguments) {
  const auto run = OpenRun(client, arguments.front());
  if (!run) return run.error();
  const auto steps = run->List();
  if (!steps) return steps.error();
  for (const Step& step : *steps) PrintShown(FLAGS_json ? JsonOf(step) : LineOf(step));
  PrintTotal(*steps);
  return {};
}

std::optional<Result<void>> VerifyRun(const Client& client, const std::vector<std::string>& arguments) {
  const auto run = OpenRun(client, arguments.front());
  if (!run) return run.error();
  auto steps = run->List();
  if (!steps) return steps.error();
  if (steps->empty()) return std::nullopt;
  std::size_t damaged = 0;
  for (Step& step : *steps) {
    if (auto verified = VerifyStep(*run, step); !verified) {
      if (verified.error().code == ErrorCode::kCancelled) return verified;
      step.problem = verified.error();
      ++damaged;
    }
    PrintShown(FLAGS_json ? JsonOf(step) : LineOf(step));
  }
  PrintTotal(*steps);
  if (damaged == 0) return Result<void>();
  return Error{ErrorCode::kCorrupted, run->uri() + ": " + std::to_string(damaged) + " of " +
                                          std::to_string(steps->size()) + " steps are not whole; load another one"};
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
  return run->Remove(step);
}

Result<void> PruneRun(const Client& client, const std::vector<std::string>& arguments) {
  const auto rules = KeepRulesFromFlags();
  if (!rules) return rules.error();
  const auto older_than = ParseDuration(FLAGS_older_than);
  if (!older_than) return Error{ErrorCode::kInvalidArgument, "flag --older_than: " + older_than.error().message};
  const auto run = OpenRun(client, arguments.front());
  if (!run) return run.error();
  const auto report = run->Keep(*rules, FLAGS_dry_run);
  if (!report) return report.error();
  for (const std::int64_t step : report->removed) {
    const std::string done = FLAGS_dry_run ? "would remove" : "removed";
    std::cout << (FLAGS_json ? "{\"" + done + "\":" + std::to_string(step) + "}"
                             : done + " step " + std::to_string(step))
              << '\n';
  }
  for (const Step& step : report->not_removed) std::cerr << "gcsflux: " << Shown(step.problem->message) << '\n';
  const auto collected = run->CollectGarbage(*older_than, FLAGS_dry_run);
  if (!collected) return collected.error();
  std::cerr << "gcsflux: " << (FLAGS_dry_run ? "would remove " : "removed ") << report->removed.size() << " steps, and "
            << collected->files << " files of unfinished saves, " << collected->bytes << " bytes; kept "
            << collected->foreign << " objects of others\n";
  if (report->not_removed.empty()) return {};
  return *report->not_removed.front().problem;
}

}  // namespace gcsflux::cli
