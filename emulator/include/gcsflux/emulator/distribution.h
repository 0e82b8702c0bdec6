#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gcsflux::emulator {

/// What a random quantity is like: always the same, log-normal, or as somebody measured it. A value.
class Distribution {
 public:
  /// `value` belongs to `quantile`, which lies between 0 and 1: {0.99, 200} is the 99th percentile.
  struct Point {
    double quantile = 0;
    double value = 0;
    friend bool operator==(const Point&, const Point&) = default;
  };

  /// Always `value`. Not explicit, so that a field can be set to a number.
  Distribution(double value = 0);  // NOLINT(google-explicit-constructor)
  /// With a tail to the right, as latencies have it. `median` is above 0, `p99` is not below it.
  static Distribution LogNormal(double median, double p99);
  /// Each of the values with the same probability.
  static Distribution Empirical(std::vector<double> values);
  /// On straight lines from point to point, and constant beyond the first and the last; both fields ascend.
  static Distribution Empirical(std::vector<Point> points);
  /// As text() writes it: "50", "lognormal(50,200)", "empirical(10,20,30)", "empirical(0.5:50,0.99:200)".
  static Distribution Parse(std::string_view text);
  // Each of them throws std::invalid_argument where a value is negative, above 1e9 or no number.

  /// The value that is exceeded with the probability 1 - `quantile`, which lies above 0 and below 1.
  [[nodiscard]] double Quantile(double quantile) const;
  [[nodiscard]] bool is_fixed() const { return kind_ == Kind::kFixed; }
  [[nodiscard]] std::string text() const;

  friend bool operator==(const Distribution&, const Distribution&) = default;

 private:
  enum class Kind { kFixed, kLogNormal, kValues, kPoints };

  Distribution(Kind kind, std::vector<Point> points);

  Kind kind_ = Kind::kFixed;
  std::vector<Point> points_;  // kFixed: one; kLogNormal: the median and the 99th percentile
};

}  // namespace gcsflux::emulator
