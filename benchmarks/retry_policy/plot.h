#pragma once

#include <ostream>
#include <vector>

#include "retry_policy/cell.h"

namespace gcsflux::bench {

/// An SVG with a row for each scenario: what each policy had delivered in each second, with the quota, and how long the
/// slowest of it had taken.
void WritePlot(std::ostream& out, const std::vector<Cell>& cells);

}  // namespace gcsflux::bench
