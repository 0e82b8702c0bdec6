#include "retry_policy/plot.h"

#include <algorithm>
#include <map>
#include <string>

#include "retry_policy/svg_panel.h"

namespace gcsflux::bench {
namespace {

constexpr double kWidth = 1080;
constexpr double kHeadHeight = 104;
constexpr double kRowHeight = 268;
constexpr double kPanelTop = 54;  // within its row
constexpr double kPanelHeight = 158;
constexpr double kPanelWidth = 424;
constexpr double kLeft = 70;
constexpr double kRight = 602;

constexpr const char* kStyle = R"(<style>
text { font-family: system-ui, "Segoe UI", "Helvetica Neue", "DejaVu Sans", sans-serif; fill: #24292f; }
.head { font-size: 20px; font-weight: 600; }
.title { font-size: 14px; font-weight: 600; }
.label { font-size: 11.5px; fill: #57606a; }
.tick { font-size: 11px; fill: #57606a; }
.legend { font-size: 13px; }
.grid { stroke: #e6e8eb; stroke-width: 1; }
.axis { stroke: #8c959f; stroke-width: 1; }
</style>
)";

// Colours that people with any kind of colour vision tell apart (Okabe and Ito). What is to be seen first is bold.
LineStyle StyleOf(const std::string& policy) {
  static const std::map<std::string, LineStyle> styles = {{"gate", {.color = "#0072b2", .width = 2.6}},
                                                          {"full_jitter", {.color = "#e69f00"}},
                                                          {"decorrelated", {.color = "#009e73"}},
                                                          {"multiplier", {.color = "#cc79a7"}},
                                                          {"none", {.color = "#d55e00"}}};
  const auto found = styles.find(policy);
  return found == styles.end() ? LineStyle{} : found->second;
}

// The bold one on top.
std::vector<const Cell*> InDrawingOrder(std::vector<const Cell*> cells) {
  std::stable_sort(cells.begin(), cells.end(),
                   [](const Cell* a, const Cell* b) { return StyleOf(a->policy).width < StyleOf(b->policy).width; });
  return cells;
}

struct Row {
  const Scenario* scenario = nullptr;
  std::vector<const Cell*> cells = {};
};

std::vector<Row> RowsOf(const std::vector<Cell>& cells) {
  std::vector<Row> rows;
  for (const Cell& cell : cells) {
    const auto same = std::find_if(rows.begin(), rows.end(),
                                   [&](const Row& row) { return row.scenario->name == cell.scenario.name; });
    Row& row = same == rows.end() ? rows.emplace_back(Row{&cell.scenario}) : *same;
    row.cells.push_back(&cell);
  }
  return rows;
}

std::vector<PlotPoint> QuotaLine(const Scenario& scenario, double seconds) {
  std::vector<PlotPoint> points;
  for (std::size_t i = 0; i < scenario.phases.size(); ++i) {
    const QuotaPhase& phase = scenario.phases[i];
    const double until = i + 1 < scenario.phases.size() ? scenario.phases[i + 1].from : 1;
    points.push_back({phase.from * seconds, phase.requests_per_second});
    points.push_back({until * seconds, phase.requests_per_second});
  }
  return points;
}

std::string TitleOf(const Scenario& scenario) {
  std::string title = scenario.title;
  title.front() = static_cast<char>(title.front() - 'a' + 'A');
  const std::string processes =
      std::to_string(scenario.processes) + (scenario.processes == 1 ? " process" : " processes");
  return title + ", " + processes + " of " + std::to_string(scenario.threads) + " threads";
}

void DrawRates(std::ostream& out, const Row& row, double top, const Axis& time) {
  double most = 1;
  for (const QuotaPhase& phase : row.scenario->phases)
    most = std::max(most, 1.05 * phase.requests_per_second.value_or(0));
  for (const Cell* cell : row.cells) {
    for (const SecondFigures& second : cell->figures.by_second) most = std::max(most, second.delivered);
  }
  const SvgPanel panel(out, {kLeft, top + kPanelTop, kPanelWidth, kPanelHeight}, time,
                       Axis::Linear(most, "delivered, reads per second"));
  panel.DrawAxes(TitleOf(*row.scenario));
  for (const Cell* cell : InDrawingOrder(row.cells)) {
    std::vector<PlotPoint> points;
    for (const SecondFigures& second : cell->figures.by_second) {
      points.push_back({static_cast<double>(points.size()) + 0.5, second.delivered});
    }
    panel.DrawLine(points, StyleOf(cell->policy));
  }
  panel.DrawLine(QuotaLine(*row.scenario, time.high), {.is_dashed = true});
}

// One scale for all rows, so that they can be compared.
Axis LatencyAxis(const std::vector<Cell>& cells) {
  double least = 1;
  double most = 3;
  for (const Cell& cell : cells) {
    for (const SecondFigures& second : cell.figures.by_second) {
      if (second.worst > 0) least = std::min(least, second.worst);
      most = std::max(most, second.worst);
    }
  }
  return Axis::Logarithmic(least, most, "slowest read of those delivered in a second, seconds");
}

void DrawLatencies(std::ostream& out, const Row& row, double top, const Axis& time, const Axis& latency) {
  const SvgPanel panel(out, {kRight, top + kPanelTop, kPanelWidth, kPanelHeight}, time, latency);
  panel.DrawAxes("");
  for (const Cell* cell : InDrawingOrder(row.cells)) {
    std::vector<PlotPoint> points;
    for (const SecondFigures& second : cell->figures.by_second) {
      const double at = static_cast<double>(points.size()) + 0.5;
      points.push_back({at, second.worst > 0 ? std::optional(second.worst) : std::nullopt});
    }
    panel.DrawLine(points, StyleOf(cell->policy));
  }
}

void DrawLegend(std::ostream& out, const std::vector<Cell>& cells) {
  double left = kLeft;
  std::vector<std::string> drawn;
  const auto draw = [&](const std::string& name, const LineStyle& style) {
    const SvgPanel swatch(out, {left, 71, 26, 2}, {}, {});
    swatch.DrawLine({{0, 0.5}, {1, 0.5}}, style);
    WriteSvgText(out, left + 34, 76, "start", "legend", name);
    left += 58 + 7.4 * static_cast<double>(name.size());
  };
  for (const Cell& cell : cells) {
    if (std::find(drawn.begin(), drawn.end(), cell.policy) != drawn.end()) continue;
    drawn.push_back(cell.policy);
    draw(cell.policy, StyleOf(cell.policy));
  }
  draw("quota", {.is_dashed = true});
}

}  // namespace

void WritePlot(std::ostream& out, const std::vector<Cell>& cells) {
  const std::vector<Row> rows = RowsOf(cells);
  const double height = kHeadHeight + kRowHeight * static_cast<double>(rows.size());
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " << kWidth << ' ' << height << "\" width=\""
      << kWidth << "\" height=\"" << height << "\">\n"
      << kStyle << "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
  WriteSvgText(out, kLeft, 42, "start", "head", "What becomes of reads beyond a quota, by throttle policy");
  DrawLegend(out, cells);
  const Axis latency = LatencyAxis(cells);
  double top = kHeadHeight;
  for (const Row& row : rows) {
    Axis time = Axis::Linear(static_cast<double>(row.cells.front()->figures.by_second.size()), "time, seconds");
    time.high = static_cast<double>(row.cells.front()->figures.by_second.size());
    std::erase_if(time.ticks, [&](double tick) { return tick > time.high; });
    DrawRates(out, row, top, time);
    DrawLatencies(out, row, top, time, latency);
    top += kRowHeight;
  }
  out << "</svg>\n";
}

}  // namespace gcsflux::bench
