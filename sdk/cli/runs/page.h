#pragma once

#include <string>
#include <vector>

#include "cli/runs/find_runs.h"

namespace gcsflux::cli {

/// One HTML file, which loads nothing else: plots of all scalars, and a table of the runs.
std::string RunsPage(const std::string& title, const std::vector<FoundRun>& runs);

}  // namespace gcsflux::cli
