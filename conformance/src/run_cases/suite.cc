#include "run_cases/suite.h"

#include <fnmatch.h>

#include <exception>
#include <ostream>

#include "case/excerpt.h"

namespace gcsflux::conformance {
namespace {

void Count(Outcome::Kind kind, Tally& tally) {
  switch (kind) {
    case Outcome::Kind::kPassed: ++tally.passed; break;
    case Outcome::Kind::kFailed: ++tally.failed; break;
    case Outcome::Kind::kSkipped: ++tally.skipped; break;
  }
}

std::string Line(const Check& subject, const Outcome& outcome) {
  switch (outcome.kind) {
    case Outcome::Kind::kPassed: return "ok   " + subject.name;
    case Outcome::Kind::kSkipped: return "skip " + subject.name + ": " + outcome.detail;
    case Outcome::Kind::kFailed: break;
  }
  const std::string source = subject.source.empty() ? "" : "\n     source: " + subject.source;
  return "FAIL " + subject.name + ": " + outcome.detail + "\n     claim: " + subject.claim + source;
}

// Answers that are not of the expected form, or are too large, may end in an exception.
Outcome Run(const Check& subject, const Service& service, const std::string& bucket) {
  try {
    return subject.run(service, bucket);
  } catch (const std::exception& error) {
    return {.kind = Outcome::Kind::kFailed,
            .detail = std::string("an answer cannot be used: ") + error.what(),
            .leftover = "cannot tell whether the bucket " + bucket + " is removed: " + error.what()};
  }
}

}  // namespace

std::vector<Check> ChecksOf(const std::vector<Case>& cases) {
  std::vector<Check> checks;
  checks.reserve(cases.size());
  for (const Case& each : cases) {
    checks.push_back(
        {.name = each.name,
         .claim = each.claim,
         .source = each.source,
         .run = [each](const Service& service, const std::string& bucket) { return RunCase(each, service, bucket); }});
  }
  return checks;
}

std::vector<Check> Filtered(std::vector<Check> checks, const std::string& glob) {
  std::erase_if(checks, [&glob](const Check& each) { return fnmatch(glob.c_str(), each.name.c_str(), 0) != 0; });
  return checks;
}

Tally RunSuite(const std::vector<Check>& checks, const Service& service, const SuiteRun& run, std::ostream& out,
               std::ostream& errors) {
  Tally tally;
  for (const Check& subject : checks) {
    if (run.is_interrupted()) {
      tally.skipped += static_cast<int>(&checks.back() + 1 - &subject);
      break;
    }
    const std::size_t number = static_cast<std::size_t>(&subject - checks.data()) + 1;
    const Outcome outcome = Run(subject, service, run.bucket_stem + "-" + std::to_string(number));
    Count(outcome.kind, tally);
    out << Redact(Line(subject, outcome), run.secret)
        << std::endl;  // Flushed, so that the progress of a slow service is visible.
    if (outcome.leftover.empty()) continue;
    ++tally.left_behind;
    errors << Redact(outcome.leftover, run.secret) << std::endl;
  }
  return tally;
}

std::string Summary(const Tally& tally) {
  return std::to_string(tally.passed) + " passed, " + std::to_string(tally.failed) + " failed, " +
         std::to_string(tally.skipped) + " skipped";
}

}  // namespace gcsflux::conformance
