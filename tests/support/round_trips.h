#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "gcsflux/emulator/traffic.h"

namespace gcsflux::testing {

/// The longest chain of requests in which each began after the previous one had its answer. Give the answers a delay
/// longer than the start of a thread, so that independent requests overlap.
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
