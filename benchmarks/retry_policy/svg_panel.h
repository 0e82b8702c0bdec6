#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace gcsflux::bench {

struct PlotPoint {
  double x = 0;
  std::optional<double> y = {};  ///< Nothing interrupts the line.
};

struct LineStyle {
  std::string color = "#333333";
  double width = 1.5;
  bool is_dashed = false;
};

/// An axis and what is written along it.
struct Axis {
  double low = 0;
  double high = 1;
  std::vector<double> ticks = {};
  bool is_logarithmic = false;
  std::string label = {};

  /// From 0 to a round number at or above `most`, with four to six ticks.
  static Axis Linear(double most, std::string label);
  /// Around the two, with ticks at the powers of ten and three times those; `least` is below `most`, both from 1e-6 to
  /// 1e6.
  static Axis Logarithmic(double least, double most, std::string label);
  /// Where a value lies, 0 at the low end and 1 at the high one; values beyond are at the ends.
  [[nodiscard]] double Place(double value) const;
};

/// One chart within an SVG, its frame at these pixels.
class SvgPanel {
 public:
  struct Frame {
    double left = 0;
    double top = 0;
    double width = 0;
    double height = 0;
  };
  SvgPanel(std::ostream& out, const Frame& frame, Axis x, Axis y);

  void DrawAxes(const std::string& title) const;
  void DrawLine(const std::vector<PlotPoint>& points, const LineStyle& style) const;

 private:
  [[nodiscard]] double PixelX(double x) const { return frame_.left + frame_.width * x_.Place(x); }
  [[nodiscard]] double PixelY(double y) const { return frame_.top + frame_.height * (1 - y_.Place(y)); }

  std::ostream& out_;
  const Frame frame_;
  const Axis x_;
  const Axis y_;
};

/// Text at a place; `anchor` is SVG's text-anchor. The class is one of the style sheet that the plot begins with.
void WriteSvgText(std::ostream& out, double x, double y, const std::string& anchor, const std::string& css_class,
                  const std::string& text);

}  // namespace gcsflux::bench
