#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "retry_policy/figures.h"
#include "retry_policy/policies.h"
#include "retry_policy/scenario.h"

namespace gcsflux::bench {

/// The common settings of all cells of a sweep.
struct CellOptions {
  double seconds = 60;
  std::string first_byte_ms = {};  ///< In the form of the emulator's Distribution::Parse.
  std::size_t object_bytes = 0;
  std::vector<std::string> worker_flags = {};
};

/// One policy in one scenario.
struct Cell {
  Scenario scenario = {};
  std::string policy = {};
  Figures figures = {};
};

/// Runs it: the emulator in this process, the scenario's processes as its children. Throws std::runtime_error if one of
/// them fails.
Cell RunCell(const Scenario& scenario, const Policy& policy, const CellOptions& options);

}  // namespace gcsflux::bench
