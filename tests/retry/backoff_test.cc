// The delay after a failure, by its jitter and by the policies of throttled clients.
#include "retry/backoff.h"

#include <gtest/gtest.h>

#include <vector>

namespace gcsflux::internal {
namespace {

using namespace std::chrono_literals;

// The minimum and maximum delays after the first `count` failures.
std::vector<std::pair<double, double>> Bounds(const RetryOptions& options, int count) {
  std::vector<std::pair<double, double>> bounds;
  for (int failures = 1; failures <= count; ++failures) {
    const auto seconds = [&](double random) {
      return std::chrono::duration<double>(BackoffDelay(options, failures, random)).count();
    };
    bounds.emplace_back(seconds(0), seconds(1));
  }
  return bounds;
}

void ExpectBounds(const RetryOptions& options, const std::vector<std::pair<double, double>>& want) {
  const auto bounds = Bounds(options, static_cast<int>(want.size()));
  for (std::size_t i = 0; i < want.size(); ++i) {
    EXPECT_NEAR(bounds[i].first, want[i].first, 1e-6) << "after failure " << i + 1;
    EXPECT_NEAR(bounds[i].second, want[i].second, 1e-6) << "after failure " << i + 1;
  }
}

RetryOptions With(double jitter) { return {.initial_delay = 1s, .multiplier = 2, .max_delay = 5s, .jitter = jitter}; }

TEST(Jitter, IsTheRandomShareOfADelay) {
  ExpectBounds(With(1), {{0, 1}, {0, 2}, {0, 4}, {0, 5}});
  ExpectBounds(With(0.5), {{0.5, 1}, {1, 2}, {2, 4}, {2.5, 5}});
  ExpectBounds(With(0), {{1, 1}, {2, 2}, {4, 4}, {5, 5}});
}

TEST(Backoff, CanMatchGooglesConnectorForPyTorch) {
  const RetryOptions connector{.initial_delay = 1s, .multiplier = 1.2, .max_delay = 45s, .jitter = 0, .deadline = 300s};
  const auto bounds = Bounds(connector, 24);
  EXPECT_NEAR(bounds[1].first, 1.2, 1e-6);
  EXPECT_NEAR(bounds[2].first, 1.44, 1e-6);
  EXPECT_LT(bounds[20].first, 45);
  EXPECT_NEAR(bounds[21].first, 45, 1e-6);  // 1.2^21 is 46.
  EXPECT_NEAR(bounds[23].second, 45, 1e-6);
}

}  // namespace
}  // namespace gcsflux::internal
