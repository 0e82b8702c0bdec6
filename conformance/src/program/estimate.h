#pragma once

#include <string>
#include <vector>

#include "case/case.h"

namespace gcsflux::conformance {

/// What --dry_run prints: how many requests of each operation the cases send, by billing class, and their price. What
/// is sent to clean up is an estimate: one listing for each case, and deletions, which are free.
std::string EstimateOf(const std::vector<Case>& cases);

}  // namespace gcsflux::conformance
