#pragma once

#include <functional>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "case/case.h"
#include "run_cases/known_differences.h"
#include "run_cases/run_case.h"

namespace gcsflux::conformance {

/// What the program runs and reports by name. Each check has a bucket of its own.
struct Check {
  std::string name = {};
  std::string claim = {};
  std::string source = {};                   ///< The source of the claim, or empty.
  std::vector<std::string> operations = {};  ///< OperationsOf() its case, or a retry test's method.
  std::vector<std::string> tags = {};
  std::vector<std::string> needs = {};
  std::function<Outcome(const Service& service, const std::string& bucket)> run = {};
};

/// The checks of `cases`, in order.
std::vector<Check> ChecksOf(const std::vector<Case>& cases);

/// The same in the bucket `bucket`, which others use too: case N has names that begin with "PREFIX/N/". Cases that need
/// a bucket of their own are not applicable.
std::vector<Check> ChecksInSharedBucket(const std::vector<Case>& cases, const std::string& bucket,
                                        const std::string& prefix);

/// "listing" of "listing/DelimiterMakesPrefixes".
std::string SubjectOf(const Check& check);

/// Those of `checks` whose name matches the shell pattern `glob`, in order; '*' matches '/' too.
std::vector<Check> Filtered(std::vector<Check> checks, const std::string& glob);

/// Those with an operation, a subject or a tag that matches one of the shell patterns `globs`. All if there are none.
std::vector<Check> Tagged(std::vector<Check> checks, const std::vector<std::string>& globs);

struct Tally {
  int passed = 0;
  int failed = 0;
  int skipped = 0;      ///< With those that are known to fail, and those that are not applicable.
  int form = 0;         ///< Of those that passed: with differences of form that are not known.
  int known = 0;        ///< Of those that are skipped: they ran, and failed as is known.
  int left_behind = 0;  ///< Checks that could not remove what they made.
};

struct SuiteRun {
  std::string bucket_stem = {};                         ///< Check N runs in the bucket "STEM-N".
  std::function<std::string(std::string)> redact = {};  ///< Removes secrets from what is printed. If empty, nothing.
  std::function<bool()> is_interrupted = {};  ///< Asked before each check. Once it is true, the rest is skipped.
  RequestBudget* budget = nullptr;            ///< If it is null, any number of requests.
  std::vector<KnownDifference> known = {};
};

struct SuiteResult {
  Tally tally = {};
  std::vector<Outcome> outcomes = {};  ///< One for each check.
  std::string why_cut_short = {};      ///< The service is unusable, so the rest was skipped. Else empty.
};

/// Runs the checks, as many at the same time as there are services; each of them is used by one thread. Prints a line
/// for each in the order of `checks`, with the reason if it failed. Buckets that could not be removed are named on
/// `errors`. A check that throws has failed. If kMostUnprepared checks in a row cannot make their bucket, the rest is
/// skipped.
SuiteResult RunSuite(const std::vector<Check>& checks, std::span<const Service> services, const SuiteRun& run,
                     std::ostream& out, std::ostream& errors);

inline constexpr int kMostUnprepared = 5;

/// "N passed, N failed, N skipped", and behind it differences of form and known failures, if there are any.
std::string Summary(const Tally& tally);

/// "passed", "passed with form differences", "failed", "known failure", "not applicable" or "skipped".
std::string ResultName(const Outcome& outcome);

}  // namespace gcsflux::conformance
