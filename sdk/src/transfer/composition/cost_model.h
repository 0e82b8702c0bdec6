#pragma once

#include <cstddef>

#include "transfer/composition/planner.h"

namespace gcsflux::internal {

/// What fetching costs, in seconds.
struct FetchCosts {
  double first_byte = 0;         ///< Of a read.
  double seconds_per_byte = 0;   ///< Of one stream, from then on.
  double compose = 0;            ///< With its wait at the gate.
  double remove = 0;             ///< Of a delete, likewise.
  double writes_per_second = 0;  ///< That the service lets through; 0: all of them.
};

/// Objects that are still to be fetched, and how many requests may be in flight for them.
struct RemainingWork {
  double objects = 0;
  double mean_bytes = 0;
  std::size_t connections = 1;
};

/// How long the work takes with every object read by itself.
double DirectSeconds(const FetchCosts& costs, const RemainingWork& work);

/// The same through composites of `group` objects, until the last byte is there; the deletes keep connections busy, but
/// nobody waits for the last of them.
double ComposedSeconds(const FetchCosts& costs, const RemainingWork& work, std::size_t group);

/// The objects of a composite with which the work is done soonest: from 2 to `most`, which is at least 2.
std::size_t BestGroup(const FetchCosts& costs, const RemainingWork& work, std::size_t most);

}  // namespace gcsflux::internal
