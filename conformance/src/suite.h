#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "case.h"
#include "run_case.h"

namespace gcsflux::conformance {

struct Tally {
  int passed = 0;
  int failed = 0;
  int skipped = 0;
};

struct SuiteRun {
  std::string bucket_stem = {};               ///< Case N runs in the bucket "STEM-N".
  std::string_view secret = {};               ///< Never printed.
  std::function<bool()> is_interrupted = {};  ///< Asked before each case; once true, the rest is skipped.
};

/// Runs the cases one after another and prints a line for each, and why it failed; buckets that could not be removed
/// are named on `errors`.
Tally RunSuite(const std::vector<Case>& cases, const Service& service, const SuiteRun& run, std::ostream& out,
               std::ostream& errors);

/// "N passed, N failed, N skipped"
std::string Summary(const Tally& tally);

}  // namespace gcsflux::conformance
