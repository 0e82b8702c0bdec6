// The estimated number of connections, in simulated time: several services, machines and seeds.
#include "transfer/connections/connection_count.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "transfer/connections/connection_simulation.h"

namespace gcsflux {
namespace {

using internal::ConnectionCount;
using testing::Simulate;
using testing::SimulatedRead;
using testing::SimulatedReader;
using testing::SimulatedReads;
using namespace std::chrono_literals;

constexpr std::uint64_t kKib = 1024;
constexpr std::uint64_t kMib = 1024 * kKib;
constexpr std::size_t kFixed[] = {8, 16, 32, 64, 128, 256};
constexpr std::uint32_t kSeeds = 5;

struct Case {
  const char* name;
  SimulatedReads service;
  std::vector<std::uint64_t> sizes = {100 * kKib};
  std::size_t reads = 3001;
};

const std::vector<Case>& Cases() {
  static const std::vector<std::uint64_t> mixed = {100 * kKib, kKib, 5 * kMib, 30 * kKib, 16 * kMib, 2 * kKib};
  static const std::vector<Case> cases = {
      {"nothing is full", {}},
      {"CPU of 0.4 ms a request", {.cpu_per_request = 0.0004}},
      {"CPU of 5 ms a request", {.cpu_per_request = 0.005}},
      {"a link of 1 Gbit/s", {.link_rate = 125e6}},
      {"a link of 10 Gbit/s", {.link_rate = 1.25e9}},
      {"larger objects", {.link_rate = 1.25e9, .cpu_per_request = 0.0003, .cpu_per_byte = 0.3e-9}, {3 * kMib}, 600},
      {"ranges", {.cpu_per_request = 0.0003, .cpu_per_byte = 0.7e-9}, {16 * kMib}, 300},
      {"mixed sizes, nothing is full", {}, mixed},
      {"mixed sizes, a link of 10 Gbit/s", {.link_rate = 1.25e9}, mixed, 1500},
      {"no latency",
       {.first_byte_median = 0.001, .first_byte_p99 = 0.003, .cpu_per_request = 0.0002},
       {100 * kKib},
       6000},
      {"far away", {.first_byte_median = 0.3, .first_byte_p99 = 0.6, .link_rate = 1e9}},
      {"first bytes that vary much", {.first_byte_median = 0.05, .first_byte_p99 = 0.5}, {100 * kKib}, 6000},
      {"a quota", {.reads_per_second = 1000}, {100 * kKib}, 4000},
  };
  return cases;
}

// When the last read ended, as the median of the seeds.
double SecondsOf(const Case& c, std::size_t fixed) {
  std::vector<double> seconds;
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    seconds.push_back(
        Simulate(c.service, {{.sizes = c.sizes, .reads = c.reads, .fixed = fixed}}, seed, 1000).back().at);
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[kSeeds / 2];
}

TEST(ConnectionCount, IsAsFastAsTheBestFixedNumber) {
  for (const Case& c : Cases()) {
    double best = 1e9;
    for (const std::size_t fixed : kFixed) best = std::min(best, SecondsOf(c, fixed));
    EXPECT_LE(SecondsOf(c, 0), 1.15 * best) << c.name;
  }
}

double ReadsBetween(const std::vector<SimulatedRead>& reads, double from, double to) {
  return static_cast<double>(
      std::count_if(reads.begin(), reads.end(), [&](const auto& read) { return read.at >= from && read.at < to; }));
}

TEST(ConnectionCount, ConvergesInTwoSeconds) {
  for (const Case& c : Cases()) {
    double best = 0;
    for (const std::size_t fixed : kFixed) {
      best = std::max(best, ReadsBetween(Simulate(c.service, {{.sizes = c.sizes, .fixed = fixed}}, 1, 5), 2, 5));
    }
    for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
      EXPECT_GE(ReadsBetween(Simulate(c.service, {{.sizes = c.sizes}}, seed, 5), 2, 5), 0.87 * best)
          << c.name << ", seed " << seed;
    }
  }
}

TEST(ConnectionCount, ShrinksIfMoreDoNotHelp) {
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    // 12 connections are enough: 200 requests a second of 60 ms each.
    const auto slow = Simulate({.cpu_per_request = 0.005}, {{.reads = 1000}}, seed, 1000);
    EXPECT_LE(slow.back().number, 128U) << "seed " << seed;
    const auto local = Simulate({.first_byte_median = 0.001, .first_byte_p99 = 0.003, .cpu_per_request = 0.0002},
                                {{.reads = 10'000}}, seed, 1000);
    EXPECT_LE(local.back().number, 128U) << "seed " << seed;
    const auto quick = Simulate({.first_byte_median = 0.0005, .first_byte_p99 = 0.001, .cpu_per_request = 0.00005},
                                {{.reads = 10'000}}, seed, 1000);
    EXPECT_LE(quick.back().number, 128U) << "seed " << seed;
  }
}

TEST(ConnectionCount, DoesNotGrowWhileItsGatePacesReads) {
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    const auto reads = Simulate({.reads_per_second = 300}, {{}}, seed, 20);
    std::size_t paced = 0;
    for (std::size_t i = 1; i < reads.size(); ++i) {
      if (!reads[i - 1].is_paced || !reads[i].is_paced) continue;
      ++paced;
      ASSERT_LE(reads[i].number, reads[i - 1].number) << "seed " << seed << " at " << reads[i].at;
    }
    EXPECT_GE(paced, 1000U) << "seed " << seed;
  }
}

TEST(ConnectionCount, DoesNotGrowBeyondItsConsumer) {
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    const auto reads = Simulate({}, {{.consumer_rate = 400}}, seed, 20);  // 24 connections
    EXPECT_GE(reads.size(), 5000U);
    for (const SimulatedRead& read : reads) ASSERT_EQ(read.number, reads.front().number) << "at " << read.at;
  }
}

TEST(ConnectionCount, GrowsLaterIfCapacityRises) {
  std::uint32_t held = 0;
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    const auto reads = Simulate({.link_rate = 30e6, .freed_at = 6}, {{}}, seed, 30);
    const auto before = std::find_if(reads.begin(), reads.end(), [](const auto& read) { return read.at >= 5; });
    held += before->number < 256 ? 1 : 0;
    EXPECT_GE(ReadsBetween(reads, 25, 30), 0.9 * 5 * 256 / 0.0605) << "seed " << seed;
  }
  EXPECT_GE(held, kSeeds - 1) << "they were to have less room at first";
}

// Reads of 60 ms each, one after the other with gaps before some of them. Returns the estimate.
std::size_t FoundWithGaps(const std::vector<int>& gaps, bool are_pauses) {
  ConnectionCount count(256);
  ConnectionCount::TimePoint now;
  for (int i = 0; i < 600; ++i) {
    now += std::chrono::microseconds(60'000 / static_cast<int>(count.number()));
    if (std::find(gaps.begin(), gaps.end(), i) != gaps.end()) now += 150ms;
    const bool is_last = are_pauses && std::find(gaps.begin(), gaps.end(), i + 1) != gaps.end();
    count.OnRead({.at = now, .bytes = 100 * kKib, .in_flight = is_last ? 1 : count.number()});
  }
  return count.number();
}

TEST(ConnectionCount, GrowsAfterAShortStall) { EXPECT_EQ(FoundWithGaps({100}, false), 256U); }

TEST(ConnectionCount, GrowsThroughPauses) { EXPECT_EQ(FoundWithGaps({100, 250, 400}, true), 256U); }

// Four on one machine or behind one quota, which start together or one after the other.
TEST(ConnectionCount, SharesCapacityWithOthers) {
  const std::vector<Case> cases = {{"a link", {.link_rate = 500e6}},
                                   {"a fast link", {.link_rate = 2.5e9}, {3 * kMib}},
                                   {"CPU", {.cpu_per_request = 0.0003}},
                                   {"a quota", {.reads_per_second = 3000}}};
  constexpr double kFrom = 15, kTo = 30;
  for (const Case& c : cases) {
    double best = 0;
    for (const std::size_t fixed : kFixed) {
      const std::vector<SimulatedReader> readers(4, {.sizes = c.sizes, .fixed = fixed});
      best = std::max(best, ReadsBetween(Simulate(c.service, readers, 1, 6), 3, 6) / 3);
    }
    for (const double gap : {0.0, 3.0}) {
      std::vector<SimulatedReader> readers(4, {.sizes = c.sizes});
      for (std::size_t i = 0; i < readers.size(); ++i) readers[i].begins_at = gap * static_cast<double>(i);
      const auto reads = Simulate(c.service, readers, 3, kTo);
      EXPECT_GE(ReadsBetween(reads, kFrom, kTo), 0.9 * best * (kTo - kFrom)) << c.name << ", gap " << gap;
      for (std::size_t i = 0; i < readers.size(); ++i) {
        const auto own = std::count_if(reads.begin(), reads.end(),
                                       [&](const auto& read) { return read.reader == i && read.at >= kFrom; });
        EXPECT_GE(own, 0.5 * best * (kTo - kFrom) / 4) << c.name << ", gap " << gap << ", reader " << i;
      }
    }
  }
}

TEST(ConnectionCount, StaysWithinItsLimits) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    const std::size_t most = 1 + random() % (seed % 2 == 0 ? 5 : 300);
    ConnectionCount count(most);
    ConnectionCount::TimePoint now;
    for (int i = 0; i < 5000; ++i) {
      now += std::chrono::microseconds(random() % 4 == 0 ? 0 : random() % 20'000);
      count.OnRead({.at = now,
                    .bytes = random() % (std::uint64_t{1} << (random() % 40)),
                    .in_flight = random() % 3 == 0 ? random() % 400 : count.number(),
                    .is_throttled = random() % 500 == 0});
      ASSERT_GE(count.number(), 1U) << "seed " << seed;
      ASSERT_LE(count.number(), most) << "seed " << seed;
    }
  }
}

TEST(ConnectionCount, StartsAtASmallLimit) {
  EXPECT_EQ(ConnectionCount(5).number(), 5U);
  EXPECT_EQ(ConnectionCount(0).number(), 1U);
  EXPECT_EQ(ConnectionCount(10'000).number(), ConnectionCount::First(10'000));
}

}  // namespace
}  // namespace gcsflux
