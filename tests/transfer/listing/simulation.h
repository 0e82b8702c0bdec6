#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "transfer/listing/scheduler.h"

namespace gcsflux::internal::listing {

/// The time to list a set of names if a page costs 60 ms and 0.07 ms for each name or directory on it, as listings of
/// GCS do. Simulated time: the same names give the same figures everywhere.
struct SimulatedListing {
  double seconds = 0;
  double bound = 0;       // seconds, if all pages were full and divided equally among all workers
  double sequential = 0;  // seconds
  std::size_t calls = 0;
  std::size_t sequential_calls = 0;
  std::size_t names = 0;  // that were taken; each once, or the simulation fails its test
  std::vector<std::string> split_points = {};
};

SimulatedListing Simulate(const std::vector<std::string>& names, const SchedulerOptions& options);

}  // namespace gcsflux::internal::listing
