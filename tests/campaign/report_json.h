#pragma once

#include <cstdint>
#include <string>

#include "campaign/world.h"

namespace gcsflux::campaign {

struct RunOfReport {
  std::uint64_t seed = 0;
  int seconds = 0;
};

/// What scripts/proofs reads.
std::string ReportAsJson(const Report& report, const RunOfReport& run);

}  // namespace gcsflux::campaign
