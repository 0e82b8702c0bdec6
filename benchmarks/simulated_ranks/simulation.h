#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace gcsflux::bench {

/// A request of a rank, as the service sees it.
struct SimulatedRequest {
  bool is_write = false;
  std::uint64_t bytes = 0;
  std::uint32_t range = 0;  ///< Its range of names: each has its own quota.
};

/// Requests that a rank sends over its connections as they become free. A stage starts when the previous one has ended.
using Stage = std::vector<SimulatedRequest>;
using RankStages = std::vector<Stage>;

/// The capacity of ranks and service. Times in seconds, rates in bytes or requests per second.
struct SimulatedService {
  int connections = 16;              ///< Of each rank.
  double rank_rate = 1.5e9;          ///< A rank's share of its host's network.
  double stream_read_rate = 250e6;   ///< As the emulator's profile gcs.
  double stream_write_rate = 100e6;  ///< Likewise.
  double round_trip = 0.002;         ///< Without the time of the service.
  double read_first_byte = 0.05;     ///< The median; 99 % are below four times as much.
  double write_first_byte = 0.08;
  double range_reads = 5000;                                ///< Of each range of names.
  double range_writes = 1000;                               ///< Likewise.
  double depth = 0.05;                                      ///< A quota accumulates this share of its rate.
  double egress = std::numeric_limits<double>::infinity();  ///< Of all reads together.
};

struct SimulatedOutcome {
  double seconds = 0;  ///< Until the slowest rank has ended.
  std::uint64_t requests = 0;
  std::uint64_t throttled = 0;  ///< Answers with 429.
  std::uint64_t bytes = 0;
  double worst_wait = 0;  ///< From a request's first issue until the service accepted it.
};

/// Runs all ranks in simulated time, each with the gates of its own client. The same arguments give the same result.
SimulatedOutcome Simulate(const std::vector<RankStages>& ranks, const SimulatedService& service, std::uint64_t seed);

}  // namespace gcsflux::bench
