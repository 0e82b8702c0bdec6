#pragma once

#include <vector>

#include "program/access_token.h"
#include "program/options.h"
#include "program/report_files.h"
#include "run_cases/suite.h"

namespace gcsflux::conformance {

// Exit statuses of the program.
inline constexpr int kAllPassed = 0;
inline constexpr int kFailed = 1;
inline constexpr int kWrongUsage = 2;
inline constexpr int kLeftBehind = 3;

/// Prints a line on standard error in one write, so that lines of several programs do not mix.
void Say(const std::string& what);

struct PlannedRun {
  std::string run = {};  ///< Eight hex digits.
  std::vector<Check> checks = {};
  std::vector<KnownDifference> known = {};
};

/// Runs the checks against options.endpoint, or against an emulator in this process, and writes the reports. Returns
/// the exit status.
int RunChecks(const Options& options, const PlannedRun& plan, AccessToken& token, ReportFiles& reports);

/// What --clean does. Returns the exit status.
int Clean(const Options& options, AccessToken& token);

}  // namespace gcsflux::conformance
