#include "gcsflux/emulator/distribution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "shaping/latency_sampler.h"
#include "shaping/normal_quantile.h"

namespace gcsflux::emulator {
namespace {

TEST(Distribution, IsConstantIfFixed) {
  for (const double quantile : {0.001, 0.5, 0.999}) EXPECT_EQ(Distribution(50).Quantile(quantile), 50);
  EXPECT_TRUE(Distribution(50).is_fixed());
}

TEST(Distribution, HasTheGivenMedianAnd99thPercentile) {
  const Distribution distribution = Distribution::LogNormal(50, 200);
  EXPECT_NEAR(distribution.Quantile(0.5), 50, 1e-4);
  EXPECT_NEAR(distribution.Quantile(0.99), 200, 1e-3);
  EXPECT_NEAR(distribution.Quantile(0.01), 12.5, 1e-3);
  EXPECT_GT(distribution.Quantile(0.999), 300);
}

TEST(Distribution, DrawsEachValueEquallyOften) {
  const Distribution distribution = Distribution::Empirical({10.0, 20.0, 40.0});
  EXPECT_EQ(distribution.Quantile(0.01), 10);
  EXPECT_EQ(distribution.Quantile(0.5), 20);
  EXPECT_EQ(distribution.Quantile(0.99), 40);
}

TEST(Distribution, InterpolatesBetweenPoints) {
  const Distribution distribution =
      Distribution::Empirical(std::vector<Distribution::Point>{{0.5, 50}, {0.9, 90}, {1, 1000}});
  EXPECT_EQ(distribution.Quantile(0.1), 50);
  EXPECT_NEAR(distribution.Quantile(0.7), 70, 1e-9);
  EXPECT_NEAR(distribution.Quantile(0.95), 545, 1e-9);
}

TEST(Distribution, RoundTrips) {
  for (const std::string text : {"0", "50", "0.25", "lognormal(50,200)", "lognormal(5,5)", "empirical(10,20,40)",
                                 "empirical(7)", "empirical(0.5:50,0.99:200,1:1000)"}) {
    EXPECT_EQ(Distribution::Parse(text).text(), text);
  }
}

TEST(Distribution, RefusesMalformedText) {
  for (const std::string text : {"",
                                 "x",
                                 "-1",
                                 "nan",
                                 "inf",
                                 "1e10",
                                 "50ms",
                                 "lognormal",
                                 "lognormal(50)",
                                 "lognormal(50,20)",
                                 "lognormal(0,1)",
                                 "lognormal(1,2,3)",
                                 "lognormal(1,2",
                                 "lognormal(0.5:1,0.9:2)",
                                 "empirical()",
                                 "empirical(1,)",
                                 "empirical(1,-2)",
                                 "empirical(0.5:1,2)",
                                 "empirical(1.5:1)",
                                 "empirical(0.5:1,0.5:2)",
                                 "empirical(0.5:2,0.9:1)",
                                 "uniform(1,2)"}) {
    EXPECT_THROW(Distribution::Parse(text), std::invalid_argument) << text;
  }
}

TEST(NormalQuantile, AgreesWithTables) {
  EXPECT_NEAR(NormalQuantile(0.5), 0, 1e-9);
  EXPECT_NEAR(NormalQuantile(0.975), 1.9599640, 1e-6);
  EXPECT_NEAR(NormalQuantile(0.01), -2.3263479, 1e-6);
  EXPECT_NEAR(NormalQuantile(1e-12), -7.0344839, 1e-5);
}

SampleKey KeyOf(const std::string& name) { return {.operation = "storage.objects.get", .bucket = "b", .name = name}; }

TEST(LatencySampler, DrawsFromTheDistribution) {
  LatencySampler sampler;
  const Distribution distribution = Distribution::LogNormal(50, 200);
  std::vector<double> values;
  values.reserve(20'000);
  for (int i = 0; i < 20'000; ++i) {
    values.push_back(sampler.Sample(distribution, 1, KeyOf("object-" + std::to_string(i % 5000))));
  }
  std::sort(values.begin(), values.end());
  EXPECT_NEAR(values[values.size() / 2], 50, 50 * 0.03);
  EXPECT_NEAR(values[values.size() * 99 / 100], 200, 200 * 0.08);
}

// The latency of each request, by name, if they arrive in this order.
std::vector<std::vector<double>> DrawInOrder(const std::vector<int>& names, std::uint64_t seed) {
  LatencySampler sampler;
  std::vector<std::vector<double>> drawn(10);
  for (const int name : names) {
    drawn.at(static_cast<std::size_t>(name))
        .push_back(sampler.Sample(Distribution::LogNormal(50, 200), seed, KeyOf(std::to_string(name))));
  }
  return drawn;
}

TEST(LatencySampler, DoesNotDependOnTheOrderOfOtherRequests) {
  std::vector<int> names;
  names.reserve(100);
  for (int i = 0; i < 100; ++i) names.push_back(i % 10);
  const auto drawn = DrawInOrder(names, 7);
  std::sort(names.begin(), names.end(), std::greater<>());
  EXPECT_EQ(DrawInOrder(names, 7), drawn);
  EXPECT_NE(DrawInOrder(names, 8), drawn);
  EXPECT_NE(drawn[0][0], drawn[0][1]);
}

TEST(LatencySampler, DependsOnEveryFieldOfTheKey) {
  const SampleKey key = {.operation = "o", .phase = "p", .bucket = "b", .name = "n", .range_start = 0};
  std::vector<SampleKey> keys(7, key);
  keys[1].traffic_class = TrafficClass::kWrite;
  keys[2].operation = "o2";
  keys[3].phase = "p2";
  keys[4].bucket = "b2";
  keys[5].name = "n2";
  keys[6].range_start = std::nullopt;
  std::vector<double> drawn;
  for (const SampleKey& other : keys) {
    LatencySampler sampler;
    drawn.push_back(sampler.Sample(Distribution::LogNormal(50, 200), 1, other));
  }
  std::sort(drawn.begin(), drawn.end());
  EXPECT_EQ(std::adjacent_find(drawn.begin(), drawn.end()), drawn.end());
}

}  // namespace
}  // namespace gcsflux::emulator
