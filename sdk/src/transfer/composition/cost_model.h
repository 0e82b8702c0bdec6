#pragma once

#include <cstddef>

#include "transfer/composition/take_group.h"

namespace gcsflux::internal {

/// The cost of fetching, in seconds.
struct FetchCosts {
  double first_byte = 0;         ///< The wait for the first byte of a read.
  double seconds_per_byte = 0;   ///< For one stream, after the first byte.
  double compose = 0;            ///< Includes the wait at the gate.
  double remove = 0;             ///< A delete; includes the wait at the gate.
  double writes_per_second = 0;  ///< The rate that the service allows; 0 means no limit.
};

/// Objects to fetch, and how many requests may be in flight.
struct RemainingWork {
  double objects = 0;
  double mean_bytes = 0;
  std::size_t connections = 1;
};

/// The duration if every object is read directly.
double DirectSeconds(const FetchCosts& costs, const RemainingWork& work);

/// The duration with composites of `group` objects, until the last byte has come. The deletes use connections, but no
/// caller waits for the last of them.
double ComposedSeconds(const FetchCosts& costs, const RemainingWork& work, std::size_t group);

/// The number of objects per composite that gives the shortest duration: from 2 to `most`, which is at least 2.
std::size_t BestGroup(const FetchCosts& costs, const RemainingWork& work, std::size_t most);

}  // namespace gcsflux::internal
