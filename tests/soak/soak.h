#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gcsflux/events.h"
#include "soak/worker.h"

namespace gcsflux::soak {

struct SoakOptions {
  std::chrono::seconds duration{20};
  std::uint64_t seed = 1;
  int threads = 8;
  /// Requests of one download. Idle connections remain, as many as were in flight.
  int max_in_flight = 1'000;
};

/// The result of a soak.
struct Report {
  std::string violation = {};  ///< Empty if the soak passed.
  std::map<std::string, Tally> operations = {};
  std::map<std::string, std::uint64_t> fired = {};  ///< By kind of fault.
  std::uint64_t refused = 0;                        ///< Requests, by quotas.
  std::uint64_t composites = 0;                     ///< Made for downloads.
  std::size_t verified = 0;                         ///< Objects, at the ends of phases.
  std::vector<std::size_t> bytes_in_use = {};       ///< On the heap, at the end of each phase.
  Counters client = {};
};

/// Required events that did not happen: a soak without faults shows nothing. Empty if all happened.
std::string FindMissing(const Report& report);

/// Runs four phases, between which everything is deleted and checked, with one client and one emulator. While required
/// events are missing, more phases follow, up to 16 in all: on a busy machine few reads are hedged. Returns at the
/// first violation.
Report RunSoak(const SoakOptions& options);

}  // namespace gcsflux::soak
