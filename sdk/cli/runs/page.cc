#include "cli/runs/page.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "cli/runs/page_template.h"
#include "cli/runs/table.h"
#include "cli/terminal/json_object.h"

namespace gcsflux::cli {
namespace {

// Points of a line. More are not to be seen, and would make the page large.
constexpr std::size_t kMostPoints = 800;

std::string NumberJson(double value) { return std::isfinite(value) ? NumberText(value) : "null"; }

// "[step,seconds since the run's start,value]"
void AddPoint(std::string& json, const RunPoint& point, double start) {
  json += (json.ends_with('[') ? "[" : ",[") + std::to_string(point.step) + "," +
          std::to_string(std::llround(point.wall_time - start)) + "," + NumberJson(point.value) + "]";
}

// All points, or the least and the greatest one of each of many pieces, so that no peak is lost.
std::string LineJson(const std::vector<RunPoint>& points, double start) {
  const auto is_less = [](const RunPoint& a, const RunPoint& b) { return a.value < b.value; };
  const std::size_t piece = std::max<std::size_t>(1, (2 * points.size() + kMostPoints - 1) / kMostPoints);
  std::string json = "[";
  for (std::size_t at = 0; at < points.size(); at += piece) {
    const auto begin = points.begin() + static_cast<std::ptrdiff_t>(at);
    const auto end = points.begin() + static_cast<std::ptrdiff_t>(std::min(at + piece, points.size()));
    const auto odd = std::find_if(begin, end, [](const RunPoint& point) { return !std::isfinite(point.value); });
    // A gap in the line says that it was not finite.
    const auto [least, most] = odd == end ? std::minmax_element(begin, end, is_less) : std::pair(odd, odd);
    AddPoint(json, *std::min(least, most), start);
    if (least != most) AddPoint(json, *std::max(least, most), start);
  }
  return json + "]";
}

double StartOf(const FoundRun& run) {
  double start = INFINITY;
  for (const auto& [tag, points] : run.series) {
    for (const RunPoint& point : points) start = std::min(start, point.wall_time);
  }
  return start;
}

std::string RunJson(const FoundRun& run) {
  JsonObject lines;
  const double start = StartOf(run);
  for (const auto& [tag, points] : run.series) lines.AddJson(tag, LineJson(points, start));
  return JsonObject().Add("name", run.name).AddJson("lines", lines.text()).text();
}

std::string RowJson(const std::vector<std::string>& row) {
  std::string json = "[";
  for (const std::string& field : row) json += (json.size() == 1 ? "" : ",") + internal::JsonText(field);
  return json + "]";
}

// Names come from outside: none of them may end the script.
std::string InScript(const std::string& json) {
  std::string text;
  for (const char c : json) text += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return text;
}

}  // namespace

std::string RunsPage(const std::string& title, const std::vector<FoundRun>& runs) {
  std::string lines = "[";
  for (const FoundRun& run : runs) lines += (lines.size() == 1 ? "" : ",") + RunJson(run);
  std::string rows = "[";
  for (const auto& row : AllOfRuns(runs)) rows += (rows.size() == 1 ? "" : ",") + RowJson(row);
  const std::string data =
      JsonObject().Add("title", title).AddJson("runs", lines + "]").AddJson("table", rows + "]").text();
  constexpr std::string_view kPlace = "{{data}}";
  const std::string_view page = kPageTemplate;
  const std::size_t at = page.find(kPlace);
  return std::string(page.substr(0, at)) + InScript(data) + std::string(page.substr(at + kPlace.size()));
}

}  // namespace gcsflux::cli
