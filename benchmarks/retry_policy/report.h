#pragma once

#include <ostream>
#include <vector>

#include "retry_policy/cell.h"

namespace gcsflux::bench {

/// For people: a line for each cell.
void WriteTableHead(std::ostream& out);
void WriteTableRow(std::ostream& out, const Cell& cell);

/// For programs: a line for each cell, with a header. Shares are between 0 and 1; a value that does not apply is empty.
void WriteCsv(std::ostream& out, const std::vector<Cell>& cells);
/// A line for each second of each cell.
void WriteSecondsCsv(std::ostream& out, const std::vector<Cell>& cells);

}  // namespace gcsflux::bench
