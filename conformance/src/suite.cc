#include "suite.h"

#include <ostream>

#include "excerpt.h"

namespace gcsflux::conformance {
namespace {

void Count(Outcome::Kind kind, Tally& tally) {
  switch (kind) {
    case Outcome::Kind::kPassed: ++tally.passed; break;
    case Outcome::Kind::kFailed: ++tally.failed; break;
    case Outcome::Kind::kSkipped: ++tally.skipped; break;
  }
}

std::string Line(const Case& subject, const Outcome& outcome) {
  switch (outcome.kind) {
    case Outcome::Kind::kPassed: return "ok   " + subject.name;
    case Outcome::Kind::kSkipped: return "skip " + subject.name + ": " + outcome.detail;
    case Outcome::Kind::kFailed: break;
  }
  const std::string source = subject.source.empty() ? "" : "\n     source: " + subject.source;
  return "FAIL " + subject.name + ": " + outcome.detail + "\n     claim: " + subject.claim + source;
}

}  // namespace

Tally RunSuite(const std::vector<Case>& cases, const Service& service, const SuiteRun& run, std::ostream& out,
               std::ostream& errors) {
  Tally tally;
  for (const Case& subject : cases) {
    if (run.is_interrupted()) {
      tally.skipped += static_cast<int>(&cases.back() + 1 - &subject);
      break;
    }
    const std::size_t number = static_cast<std::size_t>(&subject - cases.data()) + 1;
    const Outcome outcome = RunCase(subject, service, run.bucket_stem + "-" + std::to_string(number));
    Count(outcome.kind, tally);
    out << Redact(Line(subject, outcome), run.secret) << std::endl;  // Flushed: a slow service shows progress.
    if (!outcome.leftover.empty()) errors << Redact(outcome.leftover, run.secret) << std::endl;
  }
  return tally;
}

std::string Summary(const Tally& tally) {
  return std::to_string(tally.passed) + " passed, " + std::to_string(tally.failed) + " failed, " +
         std::to_string(tally.skipped) + " skipped";
}

}  // namespace gcsflux::conformance
