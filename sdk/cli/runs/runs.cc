#include <gflags/gflags.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "base/messages/local_error.h"
#include "cli/arguments/names.h"
#include "cli/commands.h"
#include "cli/runs/find_runs.h"
#include "cli/runs/page.h"
#include "cli/runs/table.h"
#include "cli/terminal/interruption.h"
#include "cli/terminal/json_object.h"
#include "cli/terminal/output.h"

DECLARE_bool(json);
DEFINE_string(metrics, "", "Show these scalars, by their tags: loss,test/accuracy. By default the first six.");
DEFINE_string(csv, "", "Write parameters and last, least and greatest values of all runs to this file.");
DEFINE_string(html, "", "Write one page with plots to this file; it needs no network.");

namespace gcsflux::cli {
namespace {

constexpr std::size_t kShownTags = 6;

Result<std::vector<FoundRun>> RunsAt(const Client& client, const std::vector<std::string>& uris, bool reads_events) {
  std::vector<FoundRun> runs;
  const auto prefixes = ParseAll(uris);
  if (!prefixes) return prefixes.error();
  for (const ObjectName& prefix : *prefixes) {
    auto found = FindRuns(client, prefix, reads_events, StopOnSignal());
    if (!found) return found.error();
    for (FoundRun& run : *found) {
      // The same name may be under another prefix.
      if (uris.size() > 1) run.name = AsDirectory(ToUri(prefix)) + run.name;
      runs.push_back(std::move(run));
    }
  }
  return runs;
}

std::vector<std::string> ShownTags(const std::vector<FoundRun>& runs) {
  std::vector<std::string> tags;
  if (FLAGS_metrics.empty()) {
    tags = TagsOf(runs);
    if (tags.size() > kShownTags) tags.resize(kShownTags);
    return tags;
  }
  for (std::string_view rest = FLAGS_metrics; !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    if (comma > 0) tags.emplace_back(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return tags;
}

void PrintJson(const FoundRun& run) {
  JsonObject metrics;
  for (const auto& [tag, metric] : run.metrics) metrics.Add(tag, metric.last);
  JsonObject line;
  line.Add("run", run.name).Add("step", static_cast<std::uint64_t>(std::max<std::int64_t>(0, run.LastStep())));
  if (run.record) line.Add("state", run.record->state).Add("updated", Iso8601(run.record->updated));
  JsonObject parameters;
  if (run.record) {
    for (const auto& [name, value] : run.record->parameters) parameters.Add(name, value);
  }
  PrintLine(line.AddJson("parameters", parameters.text()).AddJson("metrics", metrics.text()).text());
}

using TableMaker = Table (*)(const std::vector<FoundRun>& runs, const std::vector<std::string>& tags);

void Print(const std::vector<FoundRun>& runs, TableMaker make_table) {
  if (FLAGS_json) return std::ranges::for_each(runs, PrintJson), void();
  for (const std::string& line : Aligned(make_table(runs, ShownTags(runs)))) PrintLine(line);
}

Result<void> List(const Client& client, const std::vector<std::string>& uris) {
  const auto runs = RunsAt(client, uris, /*reads_events=*/false);
  if (!runs) return runs.error();
  Print(*runs, TableOfRuns);
  return {};
}

Result<void> WriteFile(const std::string& path, const std::string& text) {
  std::FILE* const file = std::fopen(path.c_str(), "we");
  if (file == nullptr) return internal::LocalError("write", path);
  const bool is_written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const bool is_closed = std::fclose(file) == 0;
  if (!is_written || !is_closed) return internal::LocalError("write", path);
  SayDone("wrote " + path);
  return {};
}

std::string TitleOf(const std::vector<std::string>& uris) {
  return uris.front() + (uris.size() > 1 ? " and " + std::to_string(uris.size() - 1) + " more" : "");
}

Result<void> Compare(const Client& client, const std::vector<std::string>& uris) {
  const auto runs = RunsAt(client, uris, /*reads_events=*/!FLAGS_html.empty());
  if (!runs) return runs.error();
  Print(*runs, CompareRuns);
  if (!FLAGS_csv.empty()) {
    if (auto written = WriteFile(FLAGS_csv, CsvOf(AllOfRuns(*runs))); !written) return written;
  }
  if (FLAGS_html.empty()) return {};
  return WriteFile(FLAGS_html, RunsPage(TitleOf(uris), *runs));
}

constexpr CommandFlag kListFlags[] = {{"json"}, {"metrics"}};
constexpr CommandFlag kCompareFlags[] = {{"json"}, {"metrics"}, {"csv"}, {"html"}};

constexpr std::string_view kWhatRunsAre =
    "A run is a directory with event files of TensorBoard, or with the record run.json, which an EventWriter of "
    "gcsflux\n"
    "writes beside them. The runs in PREFIX and below it are read.\n";

}  // namespace

constinit const Command kListRuns = {
    .name = "runs ls",
    .arguments = "gs://BUCKET/PREFIX...",
    .summary = "List training runs: state, time, step, and last values of their scalars.",
    .details = kWhatRunsAre,
    .flags = kListFlags,
    .run = List,
};

constinit const Command kCompareRuns = {
    .name = "runs compare",
    .arguments = "gs://BUCKET/PREFIX...",
    .summary = "Compare training runs: parameters that differ, last values; as CSV, and as a page with plots.",
    .details = kWhatRunsAre,
    .flags = kCompareFlags,
    .run = Compare,
};

}  // namespace gcsflux::cli
