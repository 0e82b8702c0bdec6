#include "gcsflux/emulator/distribution.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

#include "settings/number_text.h"
#include "shaping/normal_quantile.h"

namespace gcsflux::emulator {
namespace {

constexpr double kMost = 1e9;

void Require(bool is_right, const char* what) {
  if (!is_right) throw std::invalid_argument(what);
}

// NaN is neither below nor above anything.
void RequireValue(double value) { Require(value >= 0 && value <= kMost, "must be between 0 and 1000000000"); }

// The text in the brackets of "name(...)".
std::optional<std::string_view> InBrackets(std::string_view text, std::string_view name) {
  if (!text.starts_with(name) || !text.ends_with(')') || text.size() < name.size() + 2) return std::nullopt;
  text.remove_prefix(name.size());
  if (text.front() != '(') return std::nullopt;
  return text.substr(1, text.size() - 2);
}

constexpr const char* kSyntax =
    "must be a number, lognormal(MEDIAN,P99), empirical(VALUE,...) or empirical(QUANTILE:VALUE,...)";

double ParseValue(std::string_view text) {
  const auto value = ParseNumber<double>(text);
  Require(value.has_value(), kSyntax);
  return *value;
}

// "VALUE,..." gives points without quantiles.
std::vector<Distribution::Point> ParsePoints(std::string_view text, bool& has_quantiles) {
  std::vector<Distribution::Point> points;
  has_quantiles = text.find(':') != std::string_view::npos;
  while (true) {
    const std::string_view item = text.substr(0, text.find(','));
    const std::size_t colon = item.find(':');
    Require((colon != std::string_view::npos) == has_quantiles, kSyntax);
    points.push_back({has_quantiles ? ParseValue(item.substr(0, colon)) : 0,
                      ParseValue(has_quantiles ? item.substr(colon + 1) : item)});
    if (item.size() == text.size()) return points;
    text.remove_prefix(item.size() + 1);
  }
}

double OnLines(const std::vector<Distribution::Point>& points, double quantile) {
  const auto above = std::find_if(points.begin(), points.end(), [&](const auto& p) { return p.quantile >= quantile; });
  if (above == points.begin()) return above->value;
  if (above == points.end()) return points.back().value;
  const auto below = above - 1;
  const double share = (quantile - below->quantile) / (above->quantile - below->quantile);
  return below->value + share * (above->value - below->value);
}

}  // namespace

Distribution::Distribution(Kind kind, std::vector<Point> points) : kind_(kind), points_(std::move(points)) {
  Require(!points_.empty(), "must have a value");
  for (const Point& point : points_) RequireValue(point.value);
}

Distribution::Distribution(double value) : Distribution(Kind::kFixed, {{0, value}}) {}

Distribution Distribution::LogNormal(double median, double p99) {
  Distribution distribution(Kind::kLogNormal, {{0.5, median}, {0.99, p99}});
  Require(median > 0 && p99 >= median, "must have a median above 0 and a 99th percentile that is not below it");
  return distribution;
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): by value as the overload below, which keeps what it gets.
Distribution Distribution::Empirical(std::vector<double> values) {
  std::vector<Point> points;
  points.reserve(values.size());
  for (const double value : values) points.push_back({0, value});
  return {Kind::kValues, std::move(points)};
}

Distribution Distribution::Empirical(std::vector<Point> points) {
  Distribution distribution(Kind::kPoints, std::move(points));
  double before = -1;
  double value = 0;
  for (const Point& point : distribution.points_) {
    Require(point.quantile >= 0 && point.quantile <= 1 && point.quantile > before && point.value >= value,
            "must have quantiles between 0 and 1 that ascend, and values that do not descend");
    before = point.quantile;
    value = point.value;
  }
  return distribution;
}

Distribution Distribution::Parse(std::string_view text) {
  bool has_quantiles = false;
  if (const auto inside = InBrackets(text, "lognormal")) {
    const std::vector<Point> points = ParsePoints(*inside, has_quantiles);
    Require(points.size() == 2 && !has_quantiles, kSyntax);
    return LogNormal(points[0].value, points[1].value);
  }
  if (const auto inside = InBrackets(text, "empirical")) {
    std::vector<Point> points = ParsePoints(*inside, has_quantiles);
    return has_quantiles ? Empirical(std::move(points)) : Distribution(Kind::kValues, std::move(points));
  }
  return ParseValue(text);
}

double Distribution::Quantile(double quantile) const {
  switch (kind_) {
    case Kind::kFixed: return points_.front().value;
    case Kind::kLogNormal: {
      const double sigma = std::log(points_[1].value / points_[0].value) / NormalQuantile(0.99);
      return points_[0].value * std::exp(sigma * NormalQuantile(quantile));
    }
    case Kind::kValues: {
      const auto chosen = static_cast<std::size_t>(quantile * static_cast<double>(points_.size()));
      return points_[std::min(chosen, points_.size() - 1)].value;
    }
    case Kind::kPoints: return OnLines(points_, quantile);
  }
  return 0;
}

std::string Distribution::text() const {
  if (kind_ == Kind::kFixed) return NumberText(points_.front().value);
  std::string text = kind_ == Kind::kLogNormal ? "lognormal(" : "empirical(";
  for (const Point& point : points_) {
    if (kind_ == Kind::kPoints) text += NumberText(point.quantile) + ":";
    text += NumberText(point.value) + ",";
  }
  text.back() = ')';
  return text;
}

}  // namespace gcsflux::emulator
