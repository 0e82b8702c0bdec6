#include "retry_policy/svg_panel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

namespace gcsflux::bench {
namespace {

std::string Short(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", value);
  return text.data();
}

std::string Pixels(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", value);
  return text.data();
}

std::string Escape(const std::string& text) {
  std::string escaped;
  for (const char c : text) escaped += c == '&' ? "&amp;" : c == '<' ? "&lt;" : std::string(1, c);
  return escaped;
}

void WriteSegment(std::ostream& out, double x1, double y1, double x2, double y2, const char* css_class) {
  out << "<line class=\"" << css_class << "\" x1=\"" << Pixels(x1) << "\" y1=\"" << Pixels(y1) << "\" x2=\""
      << Pixels(x2) << "\" y2=\"" << Pixels(y2) << "\"/>\n";
}

}  // namespace

Axis Axis::Linear(double most, std::string label) {
  const double magnitude = std::pow(10.0, std::floor(std::log10(std::max(most, 1e-9))));
  double step = magnitude;
  for (const double part : {0.2, 0.25, 0.5, 1.0, 2.0}) {
    step = part * magnitude;
    if (most / step <= 5.001) break;
  }
  Axis axis{.high = std::ceil(most / step - 0.001) * step, .label = std::move(label)};
  for (double tick = 0; tick <= axis.high + step / 2; tick += step) axis.ticks.push_back(tick);
  return axis;
}

Axis Axis::Logarithmic(double least, double most, std::string label) {
  Axis axis{.is_logarithmic = true, .label = std::move(label)};
  for (int decade = -6; decade <= 6; ++decade) {
    for (const double part : {1.0, 3.0}) {
      const double tick = part * std::pow(10.0, decade);
      if (tick <= least) axis.ticks = {tick};
      if (tick > least && (axis.ticks.empty() || axis.ticks.back() < most)) axis.ticks.push_back(tick);
    }
  }
  axis.low = axis.ticks.front();
  axis.high = axis.ticks.back();
  return axis;
}

double Axis::Place(double value) const {
  const double place =
      is_logarithmic ? std::log(std::max(value, 1e-12) / low) / std::log(high / low) : (value - low) / (high - low);
  return std::clamp(place, 0.0, 1.0);
}

void WriteSvgText(std::ostream& out, double x, double y, const std::string& anchor, const std::string& css_class,
                  const std::string& text) {
  out << "<text class=\"" << css_class << "\" x=\"" << Pixels(x) << "\" y=\"" << Pixels(y) << "\" text-anchor=\""
      << anchor << "\">" << Escape(text) << "</text>\n";
}

SvgPanel::SvgPanel(std::ostream& out, const Frame& frame, Axis x, Axis y)
    : out_(out), frame_(frame), x_(std::move(x)), y_(std::move(y)) {}

void SvgPanel::DrawAxes(const std::string& title) const {
  const double right = frame_.left + frame_.width;
  const double bottom = frame_.top + frame_.height;
  for (const double tick : y_.ticks) {
    WriteSegment(out_, frame_.left, PixelY(tick), right, PixelY(tick), "grid");
    WriteSvgText(out_, frame_.left - 8, PixelY(tick) + 4, "end", "tick", Short(tick));
  }
  for (const double tick : x_.ticks) {
    WriteSegment(out_, PixelX(tick), bottom, PixelX(tick), bottom + 4, "axis");
    WriteSvgText(out_, PixelX(tick), bottom + 18, "middle", "tick", Short(tick));
  }
  WriteSegment(out_, frame_.left, bottom, right, bottom, "axis");
  WriteSvgText(out_, frame_.left, frame_.top - 12, "start", "label", y_.label);
  WriteSvgText(out_, right, bottom + 34, "end", "label", x_.label);
  WriteSvgText(out_, frame_.left, frame_.top - 30, "start", "title", title);
}

void SvgPanel::DrawLine(const std::vector<PlotPoint>& points, const LineStyle& style) const {
  std::string path;
  bool is_drawing = false;
  for (const PlotPoint& point : points) {
    if (point.y) path += (is_drawing ? " L" : " M") + Pixels(PixelX(point.x)) + ' ' + Pixels(PixelY(*point.y));
    is_drawing = point.y.has_value();
  }
  if (path.empty()) return;
  out_ << "<path d=\"" << path.substr(1) << "\" fill=\"none\" stroke=\"" << style.color << "\" stroke-width=\""
       << Pixels(style.width) << "\" stroke-linejoin=\"round\" stroke-linecap=\"round\""
       << (style.is_dashed ? " stroke-dasharray=\"5 5\"" : "") << "/>\n";
}

}  // namespace gcsflux::bench
