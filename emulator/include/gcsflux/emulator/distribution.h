#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gcsflux::emulator {

/// The distribution of a random quantity: constant, log-normal, or measured. A value.
class Distribution {
 public:
  /// `value` belongs to `quantile`, which is between 0 and 1: {0.99, 200} is the 99th percentile.
  struct Point {
    double quantile = 0;
    double value = 0;
    friend bool operator==(const Point&, const Point&) = default;
  };

  /// Always `value`. Not explicit, so that a field can be set to a number.
  Distribution(double value = 0);  // NOLINT(google-explicit-constructor)
  /// Log-normal: latencies have such a tail to the right. `median` is above 0, and `p99` is not below it.
  static Distribution LogNormal(double median, double p99);
  /// Each value has the same probability.
  static Distribution Empirical(std::vector<double> values);
  /// Linear from point to point, and constant before the first and after the last. Both fields ascend.
  static Distribution Empirical(std::vector<Point> points);
  /// As text() writes it: "50", "lognormal(50,200)", "empirical(10,20,30)", "empirical(0.5:50,0.99:200)".
  static Distribution Parse(std::string_view text);
  // Each of them throws std::invalid_argument if a value is negative, above 1e9 or not a number.

  /// The value that is exceeded with the probability 1 - `quantile`. `quantile` is above 0 and below 1.
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
