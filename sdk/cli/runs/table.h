#pragma once

#include <string>
#include <vector>

#include "cli/runs/find_runs.h"

namespace gcsflux::cli {

/// Rows of text; the first one has the names of the columns.
using Table = std::vector<std::vector<std::string>>;

/// State, time and step of each run, and the last values of the metrics `tags`.
Table TableOfRuns(const std::vector<FoundRun>& runs, const std::vector<std::string>& tags);
/// Parameters that differ between the runs, and the last values of the metrics.
Table CompareRuns(const std::vector<FoundRun>& runs, const std::vector<std::string>& tags);
/// All that the records have, with the least and the greatest values too.
Table AllOfRuns(const std::vector<FoundRun>& runs);

/// The tags of all runs, in order.
std::vector<std::string> TagsOf(const std::vector<FoundRun>& runs);

/// Six digits; "nan", "inf".
std::string NumberText(double value);

/// As lines with columns of equal width, the first one to the left.
std::vector<std::string> Aligned(const Table& table);
/// RFC 4180, with the line ends of this system.
std::string CsvOf(const Table& table);

}  // namespace gcsflux::cli
