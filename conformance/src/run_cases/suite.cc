#include "run_cases/suite.h"

#include <fnmatch.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <mutex>
#include <ostream>
#include <thread>

#include "case/operation_of.h"
#include "run_cases/within_prefix.h"

namespace gcsflux::conformance {
namespace {

bool MatchesAny(const std::vector<std::string>& globs, const std::string& text) {
  return std::any_of(globs.begin(), globs.end(),
                     [&text](const std::string& glob) { return fnmatch(glob.c_str(), text.c_str(), 0) == 0; });
}

void Count(const Outcome& outcome, Tally& tally) {
  switch (outcome.kind) {
    case Outcome::Kind::kPassed: ++tally.passed; break;
    case Outcome::Kind::kFailed: ++(outcome.known.empty() ? tally.failed : tally.skipped); break;
    case Outcome::Kind::kSkipped: ++tally.skipped; break;
  }
  const bool has_failed = outcome.kind == Outcome::Kind::kFailed;
  if (has_failed && !outcome.known.empty()) ++tally.known;
  if (!has_failed && !outcome.form.empty() && !outcome.is_form_known) ++tally.form;
  if (!outcome.leftover.empty()) ++tally.left_behind;
}

std::string Lines(const Check& subject, const Outcome& outcome) {
  std::string lines;
  switch (outcome.kind) {
    case Outcome::Kind::kPassed: lines = "ok   " + subject.name; break;
    case Outcome::Kind::kSkipped: return "skip " + subject.name + ": " + outcome.detail;
    case Outcome::Kind::kFailed:
      if (!outcome.known.empty()) return "known " + subject.name + ": " + outcome.known;
      lines = "FAIL " + subject.name + ": " + outcome.detail + "\n     claim: " + subject.claim;
      if (!subject.source.empty()) lines += "\n     source: " + subject.source;
      break;
  }
  for (const std::string& each : outcome.form)
    lines += (outcome.is_form_known ? "\n     known form: " : "\n     form: ") + each;
  if (!outcome.known.empty()) lines += "\n     was known to fail: " + outcome.known;
  return lines;
}

/// What the profile and the baseline say of the outcome.
void Judge(const Check& subject, const std::vector<KnownDifference>& known, Outcome& outcome) {
  if (outcome.kind == Outcome::Kind::kSkipped) return;
  if (const auto* failure = Find(known, KnownDifference::Kind::kFailure, subject.name)) outcome.known = failure->reason;
  outcome.is_form_known = Find(known, KnownDifference::Kind::kForm, subject.name) != nullptr;
}

const KnownDifference* WhatItCannot(const Check& subject, const std::vector<KnownDifference>& known) {
  for (const std::string& operation : subject.operations) {
    if (const auto* found = Find(known, KnownDifference::Kind::kCannot, operation)) return found;
  }
  return nullptr;
}

// Answers that are not of the expected form, or are too large, may end in an exception.
Outcome RunOne(const Check& subject, const Service& service, const std::string& bucket) {
  try {
    return subject.run(service, bucket);
  } catch (const std::exception& error) {
    return {.kind = Outcome::Kind::kFailed,
            .detail = std::string("an answer cannot be used: ") + error.what(),
            .leftover = "cannot tell whether the bucket " + bucket + " is removed: " + error.what()};
  }
}

std::function<std::unique_ptr<Transport>()> ConnectRecorded(const Service& service, CaseRecord& record) {
  if (!service.connect) return {};
  return [&] { return std::make_unique<CaseTransport>(service.connect(), record); };
}

/// The checks of one run, given out in order to the threads, and printed in order.
class Progress {
 public:
  Progress(const std::vector<Check>& checks, const SuiteRun& run, std::ostream& out, std::ostream& errors)
      : checks_(checks), run_(run), out_(out), errors_(errors), is_done_(checks.size()) {
    result_.outcomes.resize(
        checks.size(), {.kind = Outcome::Kind::kSkipped, .detail = "the run was cut short", .was_not_reached = true});
  }

  /// Runs checks until there are none left, or the run is cut short.
  void Work(const Service& service) {
    for (;;) {
      const std::size_t index = Next();
      if (index == checks_.size()) return;
      Finish(index, Run(index, service));
    }
  }

  SuiteResult Take() {
    for (const Outcome& each : result_.outcomes) Count(each, result_.tally);
    return std::move(result_);
  }

 private:
  std::size_t Next() {
    const std::scoped_lock lock(mutex_);
    const bool is_over = !result_.why_cut_short.empty() || run_.is_interrupted() ||
                         (run_.budget != nullptr && run_.budget->is_used_up());
    return is_over || next_ == checks_.size() ? checks_.size() : next_++;
  }

  Outcome Run(std::size_t index, const Service& service) {
    const Check& subject = checks_[index];
    if (const auto* cannot = WhatItCannot(subject, run_.known)) {
      return {.kind = Outcome::Kind::kSkipped, .detail = cannot->reason, .not_applicable = cannot->glob};
    }
    RequestBudget unlimited(std::numeric_limits<std::int64_t>::max());
    CaseRecord record(run_.budget != nullptr ? *run_.budget : unlimited);
    CaseTransport transport(service.transport, record);
    Service recorded{.transport = transport,
                     .endpoint = service.endpoint,
                     .project = service.project,
                     .has_access_token = service.has_access_token,
                     .sleep = service.sleep,
                     .connect = ConnectRecorded(service, record),
                     .begin_case = service.begin_case,
                     .begin_cleaning =
                         [&] {
                           record.BeginCleaning();
                           service.begin_cleaning();
                         },
                     .meets = service.meets};
    Outcome outcome = RunOne(subject, recorded, run_.bucket_stem + "-" + std::to_string(index + 1));
    if (outcome.kind == Outcome::Kind::kFailed || !outcome.form.empty()) outcome.exchanges = record.exchanges();
    Judge(subject, run_.known, outcome);
    return outcome;
  }

  void Finish(std::size_t index, Outcome outcome) {
    const std::scoped_lock lock(mutex_);
    if (outcome.kind != Outcome::Kind::kSkipped) unprepared_ = outcome.is_unprepared ? unprepared_ + 1 : 0;
    if (unprepared_ == kMostUnprepared) {
      result_.why_cut_short = std::to_string(kMostUnprepared) + " cases in a row could not begin: " + outcome.detail;
    }
    result_.outcomes[index] = std::move(outcome);
    is_done_[index] = true;
    for (; printed_ < is_done_.size() && is_done_[printed_]; ++printed_) Print(printed_);
  }

  void Print(std::size_t index) {
    const Outcome& outcome = result_.outcomes[index];
    const auto redacted = [this](std::string text) { return run_.redact ? run_.redact(std::move(text)) : text; };
    // Flushed, so that the progress of a slow service is visible.
    out_ << redacted(Lines(checks_[index], outcome)) << std::endl;
    if (!outcome.leftover.empty()) errors_ << redacted(outcome.leftover) << std::endl;
  }

  const std::vector<Check>& checks_;
  const SuiteRun& run_;
  std::ostream& out_;
  std::ostream& errors_;
  std::mutex mutex_;  // guards what follows
  std::size_t next_ = 0;
  std::size_t printed_ = 0;
  int unprepared_ = 0;  ///< Checks in a row that could not make their bucket.
  std::vector<bool> is_done_;
  SuiteResult result_;
};

}  // namespace

std::vector<Check> ChecksOf(const std::vector<Case>& cases) {
  std::vector<Check> checks;
  checks.reserve(cases.size());
  for (const Case& each : cases) {
    checks.push_back(
        {.name = each.name,
         .claim = each.claim,
         .source = each.source,
         .operations = OperationsOf(each),
         .tags = each.tags,
         .needs = each.needs,
         .run = [each](const Service& service, const std::string& bucket) { return RunCase(each, service, bucket); }});
  }
  return checks;
}

std::vector<Check> ChecksInSharedBucket(const std::vector<Case>& cases, const std::string& bucket,
                                        const std::string& prefix) {
  std::vector<Check> checks = ChecksOf(cases);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    std::string own = prefix;
    own.append("/").append(std::to_string(i + 1)).append("/");
    const auto within = WithinPrefix(cases[i], own);
    checks[i].run = [=](const Service& service, const std::string&) {
      if (within) return RunCaseWithinPrefix(*within, service, bucket, own);
      return Outcome{.kind = Outcome::Kind::kSkipped,
                     .detail = "needs a bucket of its own: " + within.error(),
                     .not_applicable = "own bucket"};
    };
  }
  return checks;
}

std::string SubjectOf(const Check& check) { return check.name.substr(0, check.name.find('/')); }

std::vector<Check> Filtered(std::vector<Check> checks, const std::string& glob) {
  std::erase_if(checks, [&glob](const Check& each) { return !MatchesAny({glob}, each.name); });
  return checks;
}

std::vector<Check> Tagged(std::vector<Check> checks, const std::vector<std::string>& globs) {
  if (globs.empty()) return checks;
  std::erase_if(checks, [&globs](const Check& each) {
    std::vector<std::string> all = each.operations;
    all.insert(all.end(), each.tags.begin(), each.tags.end());
    all.push_back(SubjectOf(each));
    return std::none_of(all.begin(), all.end(), [&](const std::string& tag) { return MatchesAny(globs, tag); });
  });
  return checks;
}

SuiteResult RunSuite(const std::vector<Check>& checks, std::span<const Service> services, const SuiteRun& run,
                     std::ostream& out, std::ostream& errors) {
  Progress progress(checks, run, out, errors);
  std::vector<std::jthread> others;
  for (const Service& service : services.subspan(1)) others.emplace_back([&] { progress.Work(service); });
  progress.Work(services.front());
  others.clear();
  return progress.Take();
}

std::string Summary(const Tally& tally) {
  std::string text = std::to_string(tally.passed) + " passed, " + std::to_string(tally.failed) + " failed, " +
                     std::to_string(tally.skipped) + " skipped";
  if (tally.known != 0) text += ", " + std::to_string(tally.known) + " of them known failures";
  if (tally.form != 0) text += ", " + std::to_string(tally.form) + " with form differences";
  return text;
}

std::string ResultName(const Outcome& outcome) {
  switch (outcome.kind) {
    case Outcome::Kind::kPassed: return outcome.form.empty() ? "passed" : "passed with form differences";
    case Outcome::Kind::kFailed: return outcome.known.empty() ? "failed" : "known failure";
    case Outcome::Kind::kSkipped: break;
  }
  return outcome.not_applicable.empty() ? "skipped" : "not applicable";
}

}  // namespace gcsflux::conformance
