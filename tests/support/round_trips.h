#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "gcsflux/emulator/traffic.h"

namespace gcsflux::testing {

/// The most requests of which each began when the one before had its answer. Give the answers a delay that is longer
/// than it takes to start a thread, so that requests that do not depend on each other overlap.
inline std::size_t RoundTrips(std::vector<emulator::RequestRecord> requests) {
  std::sort(requests.begin(), requests.end(), [](const auto& a, const auto& b) { return a.start < b.start; });
  std::vector<std::size_t> chain(requests.size(), 1);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (requests[j].start + requests[j].duration <= requests[i].start) chain[i] = std::max(chain[i], chain[j] + 1);
    }
  }
  return requests.empty() ? 0 : *std::max_element(chain.begin(), chain.end());
}

}  // namespace gcsflux::testing
