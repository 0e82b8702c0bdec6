// The model of many ranks that share the service's quotas: it loses no byte, and its quotas bind.
#include <gtest/gtest.h>

#include <numeric>

#include "simulated_ranks/planned_requests.h"
#include "simulated_ranks/simulation.h"

namespace gcsflux::bench {
namespace {

constexpr SimulatedJob kJob{.ranks = 16, .bytes_per_rank = 2'000'000'000, .tensors = 10};

std::uint64_t BytesOf(const std::vector<RankStages>& ranks) {
  std::uint64_t bytes = 0;
  for (const RankStages& stages : ranks) {
    for (const Stage& stage : stages) {
      for (const SimulatedRequest& request : stage) bytes += request.bytes;
    }
  }
  return bytes;
}

// All slices, and each of the replicated tensors once.
constexpr std::uint64_t kStateBytes = 16 * 2'000'000'000ULL / 40960 * 40960 + 10 * 4096ULL;

TEST(SimulatedRanks, SaveEachByteOnce) {
  const auto requests = RequestsOfSave(kJob, {});
  EXPECT_NEAR(static_cast<double>(BytesOf(requests)), static_cast<double>(kStateBytes), 16 * 40960);
  EXPECT_EQ(Simulate(requests, {}, 1).bytes, BytesOf(requests));
}

TEST(SimulatedRanks, LoadTheirSlicesAndReplicatedTensors) {
  for (const int ranks : {16, 11}) {
    const auto requests = RequestsOfLoad(kJob, {.ranks = ranks});
    const double copies = (ranks - 1) * 10 * 4096.0;
    // Small tensors are stored between slices: a gap that is read is at most the size of all copies.
    EXPECT_NEAR(static_cast<double>(BytesOf(requests)), static_cast<double>(kStateBytes) + copies, 16 * 40960 + copies)
        << ranks << " ranks";
  }
}

TEST(SimulatedRanks, AreLimitedOnlyByStreamsWithoutQuotas) {
  const SimulatedService service{.range_writes = 1e9};
  const auto outcome = Simulate(RequestsOfSave(kJob, {}), service, 1);
  const double least = 2e9 / std::min(service.rank_rate, 16 * service.stream_write_rate);
  EXPECT_EQ(outcome.throttled, 0U);
  EXPECT_GT(outcome.seconds, least);
  EXPECT_LT(outcome.seconds, 2.5 * least);
}

TEST(SimulatedRanks, UseAQuotaOfRequestsFully) {
  const auto requests = RequestsOfSave(kJob, {});
  const SimulatedService service{.range_writes = 100};
  const auto outcome = Simulate(requests, service, 1);
  EXPECT_GT(outcome.throttled, 0U);
  const double least = static_cast<double>(outcome.requests) / service.range_writes;
  EXPECT_GT(outcome.seconds, 0.95 * least);
  EXPECT_LT(outcome.seconds, 1.25 * least);
}

TEST(SimulatedRanks, StayBelowAnEgressLimit) {
  SimulatedService service;
  service.egress = 2e9;
  const auto outcome = Simulate(RequestsOfLoad(kJob, {.ranks = 16}), service, 1);
  EXPECT_GT(outcome.throttled, 0U);
  EXPECT_GT(outcome.seconds, 0.95 * static_cast<double>(kStateBytes) / service.egress);
  EXPECT_LT(outcome.seconds, 1.5 * static_cast<double>(kStateBytes) / service.egress);
}

TEST(SimulatedRanks, SaveFasterOverMoreKeyRanges) {
  const SimulatedService service{.range_writes = 100};
  const double one = Simulate(RequestsOfSave(kJob, {}), service, 1).seconds;
  const double four = Simulate(RequestsOfSave(kJob, {.ranges = 4}), service, 1).seconds;
  EXPECT_LT(four, one / 2);
}

TEST(SimulatedRanks, AreDeterministic) {
  const auto requests = RequestsOfSave(kJob, {});
  const SimulatedService service{.range_writes = 100};
  EXPECT_EQ(Simulate(requests, service, 7).seconds, Simulate(requests, service, 7).seconds);
  EXPECT_NE(Simulate(requests, service, 7).seconds, Simulate(requests, service, 8).seconds);
}

}  // namespace
}  // namespace gcsflux::bench
