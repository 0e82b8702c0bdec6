#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "run_cases/suite.h"

namespace gcsflux::conformance {

struct ReportedRun {
  std::string version = {};
  std::string endpoint = {};                      ///< "the embedded emulator" if it is that.
  std::string profile = {};                       ///< Empty if there was none.
  std::map<std::string, bool> capabilities = {};  ///< What was probed, and whether the endpoint has it.
  std::function<std::string(std::string)> redact = {};
};

/// The run as one JSON document: counts, and for each check its claim, source, operations and result; with the
/// exchanges of each that failed or differs in form. README.md says its fields. No secret is in it: values of headers
/// that hold credentials or keys are left out, and `redact` is applied to every text.
Json ReportDocument(const std::vector<Check>& checks, const SuiteResult& result, const ReportedRun& run);

/// The document as JUnit's XML: one suite for each subject.
std::string JUnitOf(const Json& document);

/// The document as one HTML page that needs no other file: counts, a matrix of operation by subject, and what failed.
std::string HtmlOf(const Json& document);

/// `text` with &, <, >, ' and " replaced, and without characters that XML does not allow.
std::string Escaped(std::string_view text);

}  // namespace gcsflux::conformance
