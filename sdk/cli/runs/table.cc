#include "cli/runs/table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <string_view>

#include "cli/terminal/output.h"

namespace gcsflux::cli {
namespace {

std::string StateOf(const FoundRun& run) { return run.record ? run.record->state : "-"; }

std::string UpdatedOf(const FoundRun& run) { return run.record ? Iso8601(run.record->updated) : "-"; }

std::string LastOf(const FoundRun& run, const std::string& tag) {
  const auto metric = run.metrics.find(tag);
  return metric == run.metrics.end() ? "" : NumberText(metric->second.last);
}

std::string TextOf(const std::optional<double>& value) { return value ? NumberText(*value) : ""; }

std::string ParameterOf(const FoundRun& run, const std::string& name) {
  if (!run.record) return {};
  const auto found = run.record->parameters.find(name);
  return found == run.record->parameters.end() ? "" : found->second;
}

std::set<std::string> ParametersOf(const std::vector<FoundRun>& runs) {
  std::set<std::string> names;
  for (const FoundRun& run : runs) {
    if (!run.record) continue;
    for (const auto& [name, value] : run.record->parameters) names.insert(name);
  }
  return names;
}

bool IsSameInAll(const std::vector<FoundRun>& runs, const std::string& parameter) {
  return std::all_of(runs.begin(), runs.end(), [&](const FoundRun& run) {
    return ParameterOf(run, parameter) == ParameterOf(runs.front(), parameter);
  });
}

// Characters of UTF-8, which are columns for most scripts.
std::size_t WidthOf(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string CsvField(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

}  // namespace

std::string NumberText(double value) {
  if (std::isnan(value)) return "nan";
  std::array<char, 40> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, /*precision=*/6).ptr;
  return {text.data(), end};
}

std::vector<std::string> TagsOf(const std::vector<FoundRun>& runs) {
  std::set<std::string> tags;
  for (const FoundRun& run : runs) {
    for (const auto& [tag, metric] : run.metrics) tags.insert(tag);
  }
  return {tags.begin(), tags.end()};
}

Table TableOfRuns(const std::vector<FoundRun>& runs, const std::vector<std::string>& tags) {
  Table table = {{"run", "state", "updated", "step"}};
  table.front().insert(table.front().end(), tags.begin(), tags.end());
  for (const FoundRun& run : runs) {
    std::vector<std::string> row = {run.name, StateOf(run), UpdatedOf(run), std::to_string(run.LastStep())};
    for (const std::string& tag : tags) row.push_back(LastOf(run, tag));
    table.push_back(std::move(row));
  }
  return table;
}

Table CompareRuns(const std::vector<FoundRun>& runs, const std::vector<std::string>& tags) {
  std::vector<std::string> parameters;
  for (const std::string& name : ParametersOf(runs)) {
    if (runs.size() == 1 || !IsSameInAll(runs, name)) parameters.push_back(name);
  }
  Table table = {{"run"}};
  table.front().insert(table.front().end(), parameters.begin(), parameters.end());
  table.front().insert(table.front().end(), tags.begin(), tags.end());
  for (const FoundRun& run : runs) {
    std::vector<std::string> row = {run.name};
    for (const std::string& name : parameters) row.push_back(ParameterOf(run, name));
    for (const std::string& tag : tags) row.push_back(LastOf(run, tag));
    table.push_back(std::move(row));
  }
  return table;
}

Table AllOfRuns(const std::vector<FoundRun>& runs) {
  const std::set<std::string> parameters = ParametersOf(runs);
  const std::vector<std::string> tags = TagsOf(runs);
  Table table = {{"run", "state", "started", "updated", "revision", "step"}};
  for (const std::string& name : parameters) table.front().push_back("parameter." + name);
  for (const std::string& tag : tags) {
    for (const char* value : {"", ".min", ".max"}) table.front().push_back(tag + value);
  }
  for (const FoundRun& run : runs) {
    std::vector<std::string> row = {run.name,
                                    StateOf(run),
                                    run.record ? Iso8601(run.record->started) : "-",
                                    UpdatedOf(run),
                                    run.record ? run.record->revision : "",
                                    std::to_string(run.LastStep())};
    for (const std::string& name : parameters) row.push_back(ParameterOf(run, name));
    for (const std::string& tag : tags) {
      const auto metric = run.metrics.find(tag);
      const bool is_there = metric != run.metrics.end();
      row.push_back(LastOf(run, tag));
      row.push_back(is_there ? TextOf(metric->second.least) : "");
      row.push_back(is_there ? TextOf(metric->second.most) : "");
    }
    table.push_back(std::move(row));
  }
  return table;
}

std::vector<std::string> Aligned(const Table& table) {
  std::vector<std::size_t> widths(table.front().size());
  for (const auto& row : table) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], WidthOf(row[i]));
  }
  std::vector<std::string> lines;
  for (const auto& row : table) {
    std::string line = row.front() + std::string(widths.front() - WidthOf(row.front()), ' ');
    for (std::size_t i = 1; i < row.size(); ++i) line += "  " + std::string(widths[i] - WidthOf(row[i]), ' ') + row[i];
    lines.push_back(line.substr(0, line.find_last_not_of(' ') + 1));
  }
  return lines;
}

std::string CsvOf(const Table& table) {
  std::string csv;
  for (const auto& row : table) {
    for (std::size_t i = 0; i < row.size(); ++i) csv += (i == 0 ? "" : ",") + CsvField(row[i]);
    csv += '\n';
  }
  return csv;
}

}  // namespace gcsflux::cli
