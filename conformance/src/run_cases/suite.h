#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "case/case.h"
#include "run_cases/run_case.h"

namespace gcsflux::conformance {

/// What the program runs and reports by name. Each check has a bucket of its own.
struct Check {
  std::string name = {};
  std::string claim = {};
  std::string source = {};  ///< The source of the claim, or empty.
  std::function<Outcome(const Service& service, const std::string& bucket)> run = {};
};

std::vector<Check> ChecksOf(const std::vector<Case>& cases);

/// Those of `checks` whose name matches the shell pattern `glob`, in order; '*' matches '/' too.
std::vector<Check> Filtered(std::vector<Check> checks, const std::string& glob);

struct Tally {
  int passed = 0;
  int failed = 0;
  int skipped = 0;
  int left_behind = 0;  ///< Checks that could not remove what they made.
};

struct SuiteRun {
  std::string bucket_stem = {};               ///< Check N runs in the bucket "STEM-N".
  std::string_view secret = {};               ///< Never printed.
  std::function<bool()> is_interrupted = {};  ///< Asked before each check. Once it is true, the rest is skipped.
};

/// Runs the checks one after another. Prints a line for each, with the reason if it failed. Buckets that could not be
/// removed are named on `errors`. A check that throws has failed.
Tally RunSuite(const std::vector<Check>& checks, const Service& service, const SuiteRun& run, std::ostream& out,
               std::ostream& errors);

/// "N passed, N failed, N skipped"
std::string Summary(const Tally& tally);

}  // namespace gcsflux::conformance
