#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gcsflux::testing {

/// A service and a machine, as seen by reads. 0 means no limit.
struct SimulatedReads {
  double first_byte_median = 0.05;  ///< Seconds, log-normal.
  double first_byte_p99 = 0.2;
  double stream_rate = 250e6;   ///< Bytes per second of one stream, at most.
  double link_rate = 0;         ///< That all streams share.
  double freed_at = 0;          ///< From then on, in seconds, the link has no limit.
  double cpu_per_request = 0;   ///< Seconds of the one core that all clients share.
  double cpu_per_byte = 0;      ///< Likewise.
  double reads_per_second = 0;  ///< A quota; each client has a gate before it.
};

/// One client that reads objects of these sizes in turn.
struct SimulatedReader {
  std::vector<std::uint64_t> sizes = {100 << 10};
  std::size_t reads = 0;     ///< In all; 0: without end.
  std::size_t fixed = 0;     ///< This many connections; 0: the number is estimated.
  std::size_t most = 256;    ///< Of those that are found.
  double begins_at = 0;      ///< Seconds.
  double consumer_rate = 0;  ///< Reads that its consumer accepts in a second; 0: all.
};

struct SimulatedRead {
  std::size_t reader = 0;
  double at = 0;           ///< When it was done, in seconds.
  std::size_t number = 0;  ///< Of the reader's connections, after it.
  bool is_paced = false;   ///< The reader's gate was engaged.
};

/// The reads until `seconds` are over or nothing is left to read, in the order of their ends.
std::vector<SimulatedRead> Simulate(const SimulatedReads& service, const std::vector<SimulatedReader>& readers,
                                    std::uint32_t seed, double seconds);

}  // namespace gcsflux::testing
